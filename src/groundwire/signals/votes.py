"""The limits at which a share votes, known to the signals and to the ladder."""

HIGH = 0.50  # from here on a share votes for the claim
LOW = 0.20  # below this it votes against it
