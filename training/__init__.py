"""How the models that ship with Groundwire are made; not installed with the package."""
