"""Guards for what agents do: six small checks, each with its verdict and one safety event."""
