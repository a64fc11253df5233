"""FLOPs of one step of reinforcement learning on a language model, by what they are for.

Source of the rules: 2 FLOPs a parameter and token forward, 6 for training; Shao et al. 2024, arXiv
2402.03300 (GRPO), Schulman et al. 2017, arXiv 1707.06347 (PPO).  Attention scores are left out here;
``post_training.py`` counts them by the ledger.
"""

from __future__ import annotations

import msgspec

from mfu_gui.engine.fields import N_
from mfu_gui.planning.formula import formula


class LoopFlops(msgspec.Struct, frozen=True, kw_only=True):
    """FLOPs of one step of the loop for one prompt."""

    prefill: float
    generation: float
    reference: float
    old_log_probs: float
    training: float
    critic: float = 0.0
    reward: float = 0.0

    @property
    def rollout(self) -> float:
        """What generating takes."""
        return self.prefill + self.generation

    @property
    def total(self) -> float:
        """All of it."""
        return self.rollout + self.reference + self.old_log_probs + self.training + self.critic + self.reward


def linear_loop(parameters: float, prompt_tokens: int, generated_tokens: int, group_size: int, *,
                inner_epochs: int = 1, reference: bool = True, old_log_probs: bool = True,
                shared_prefill: bool = True, critic_parameters: float = 0.0,
                reward_parameters: float = 0.0) -> LoopFlops:
    """FLOPs for one prompt and its group of answers, in products with parameters alone.

    ``old_log_probs`` False: those of the rollout are used.  ``shared_prefill``: the prompt is read once
    for the whole group.  A critic is run once (2) and trained each epoch (6); a reward model is run once.
    """
    sequences = group_size * (prompt_tokens + generated_tokens)
    forward = 2.0 * parameters * sequences
    return LoopFlops(
        prefill=2.0 * parameters * prompt_tokens * (1 if shared_prefill else group_size),
        generation=2.0 * parameters * generated_tokens * group_size,
        reference=forward if reference else 0.0, old_log_probs=forward if old_log_probs else 0.0,
        training=3.0 * forward * inner_epochs,
        critic=critic_parameters * sequences * (2.0 + 6.0 * inner_epochs),
        reward=2.0 * reward_parameters * sequences)


@formula("R1.grpo_flops",
         expression=N_("2N·prompt + 2N·answer·G + 2N·T·G (reference) + 2N·T·G (old log-probs) + 6N·T·G·epochs"),
         unit="FLOP", basis="model", source="2 and 6 FLOPs a parameter and token; Shao et al. 2024, arXiv 2402.03300")
def grpo_flops(parameters: float, prompt_tokens: int, generated_tokens: int, group_size: int, inner_epochs: int = 1,
               reference: bool = True, old_log_probs: bool = True, shared_prefill: bool = True) -> float:
    """FLOPs of one prompt in GRPO; T is prompt and answer together, G the size of the group."""
    return linear_loop(parameters, prompt_tokens, generated_tokens, group_size, inner_epochs=inner_epochs,
                       reference=reference, old_log_probs=old_log_probs, shared_prefill=shared_prefill).total


@formula("R2.ppo_flops", expression=N_("GRPO + critic 2 + 6·epochs, reward model 2"), unit="FLOP", basis="model",
         source="2 and 6 FLOPs a parameter and token; Schulman et al. 2017, arXiv 1707.06347")
def ppo_flops(parameters: float, prompt_tokens: int, generated_tokens: int, critic_parameters: float,
              reward_parameters: float = 0.0, samples: int = 1, inner_epochs: int = 1) -> float:
    """FLOPs of one prompt in PPO with a critic and a reward model."""
    return linear_loop(parameters, prompt_tokens, generated_tokens, samples, inner_epochs=inner_epochs,
                       critic_parameters=critic_parameters, reward_parameters=reward_parameters).total
