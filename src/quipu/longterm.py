"""Long-term memory in the words of its design: the interfaces around an agent, as typed models.

from quipu.longterm import SatiRetrievalInput
asked = SatiRetrievalInput(current_message="What shall I cook?", recent_messages=(), memory_limit=5)
"""

from quipu.kinds.longterm.evaluation.agent import AgentClaim, ClaimOutcome, ClaimOutcomes
from quipu.kinds.longterm.model import (
    CATEGORIES,
    IMPORTANCES,
    Category,
    Deletion,
    Edit,
    Evaluation,
    Existing,
    Importance,
    Inclusion,
    JudgedClaim,
    LongtermMemory,
    MemorySource,
)
from quipu.kinds.longterm.sati import (
    SatiEvaluationInput,
    SatiExistingMemory,
    SatiMemory,
    SatiMemoryResult,
    SatiRetrievalInput,
    SatiTurn,
)

__all__ = [
    "CATEGORIES",
    "IMPORTANCES",
    "AgentClaim",
    "Category",
    "ClaimOutcome",
    "ClaimOutcomes",
    "Deletion",
    "Edit",
    "Evaluation",
    "Existing",
    "Importance",
    "Inclusion",
    "JudgedClaim",
    "LongtermMemory",
    "MemorySource",
    "SatiEvaluationInput",
    "SatiExistingMemory",
    "SatiMemory",
    "SatiMemoryResult",
    "SatiRetrievalInput",
    "SatiTurn",
]
