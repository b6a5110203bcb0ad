"""Text in, values out: the rules that read words, sentences and numbers."""
