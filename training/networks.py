"""The two networks: a small cross-encoder that ships, and a larger causal model that teaches it."""

from pathlib import Path
from typing import Any

import torch
from torch import nn

CLASSES = 3


class Student(nn.Module):
    """A BERT encoder over (window, claim): three classes, and one logit per token that it is unsupported."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder
        size = encoder.config.hidden_size
        self.dropout = nn.Dropout(0.1)
        self.classify = nn.Linear(2 * size, CLASSES)
        self.mark = nn.Linear(size, 1)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return class logits and token logits."""
        states = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        claim = (token_type_ids * attention_mask).unsqueeze(-1).to(states.dtype)
        mean = (states * claim).sum(1) / claim.sum(1).clamp(min=1.0)
        pooled = self.dropout(torch.cat([states[:, 0], mean], dim=-1))
        return self.classify(pooled), self.mark(self.dropout(states)).squeeze(-1)


class Teacher(nn.Module):
    """A causal language model read at its last token and over the claim."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        size = decoder.config.hidden_size
        self.dropout = nn.Dropout(0.1)
        self.classify = nn.Linear(2 * size, CLASSES)
        self.mark = nn.Linear(size, 1)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return class logits and token logits; padding stands on the right."""
        states = self.decoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        last = attention_mask.sum(1) - 1
        claim = (token_type_ids * attention_mask).unsqueeze(-1).to(states.dtype)
        mean = (states * claim).sum(1) / claim.sum(1).clamp(min=1.0)
        pooled = torch.cat([states[torch.arange(len(last), device=last.device), last], mean], dim=-1)
        return self.classify(self.dropout(pooled).to(self.classify.weight.dtype)), self.mark(states).squeeze(-1)


def load_student(folder: Path) -> Student:
    """Load the encoder from a local folder, never from a hub."""
    from transformers import BertModel

    return Student(
        BertModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False, attn_implementation="sdpa")
    )


def load_teacher(folder: Path) -> Teacher:
    """Load the decoder from a local folder, never from a hub."""
    from transformers import AutoModel

    return Teacher(AutoModel.from_pretrained(folder, local_files_only=True, attn_implementation="sdpa"))
