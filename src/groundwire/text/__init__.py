"""Text in, values out: sentences, claims, words, quantities, names, polarity, relations."""
