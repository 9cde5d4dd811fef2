"""What the HTTP API takes and gives. Written by generate_types.py; do not edit."""

from typing import Any, Literal, NotRequired, TypedDict


class AcceptedRun(TypedDict):
    """The answer to a request to run an agent: the request is stored."""

    runId: str
    agentId: str


class Blueprint(TypedDict):
    """A registered type and its arguments."""

    type: str
    version: NotRequired[int]
    args: NotRequired[Any]


class CapabilityBlueprint(TypedDict):
    """Something that an agent can do; docs/guides/blueprints.md describes it. Its scope is of
    the agent's colony or tenant."""

    type: str
    version: NotRequired[int]
    args: NotRequired[Any]
    # Under which the agent knows it, unlike those of its others; its type where it is left out.
    key: NotRequired[str]
    scope: NotRequired[str]
    namespace: NotRequired[str]
    includeActions: NotRequired[list[str]]
    excludeActions: NotRequired[list[str]]
    approveActions: NotRequired[list[str]]


class StreamBlueprint(TypedDict):
    """What of its experience an agent is shown; docs/guides/context.md describes it."""

    name: str
    formatter: Blueprint
    # Of each kind of entries that it takes.
    filters: NotRequired[dict[str, Blueprint]]
    maxEntries: NotRequired[int]


class AgentBlueprintBudget(TypedDict):
    """Of each run; docs/guides/budgets.md describes it."""

    iterations: NotRequired[int]
    time: NotRequired[str]
    tokens: NotRequired[int]
    # In the unit of the node's prices.
    cost: NotRequired[str]
    whenSpent: NotRequired[Literal['FAIL', 'SUSPEND']]


class AgentBlueprintResources(TypedDict):
    """What it is expected to need; docs/operations/capacity.md describes it."""

    priority: NotRequired[int]
    expectedTokens: NotRequired[int]
    concurrency: NotRequired[int]


class AgentBlueprintModel(TypedDict):
    """Which of the configured models answers the agent's calls: the one of a name, or the
    cheapest that has all of the tags."""

    name: NotRequired[str]
    tags: NotRequired[list[str]]


class AgentBlueprint(TypedDict):
    """What an agent is made of; docs/guides/blueprints.md describes it."""

    kind: NotRequired[Literal['VCM_BOUND', 'UNBOUND', 'SERVICE', 'SUPERVISOR']]
    policy: Blueprint
    capabilities: NotRequired[list[CapabilityBlueprint]]
    streams: NotRequired[list[StreamBlueprint]]
    pages: NotRequired[str]
    # Of each run; docs/guides/budgets.md describes it.
    budget: NotRequired[AgentBlueprintBudget]
    # What it is expected to need; docs/operations/capacity.md describes it.
    resources: NotRequired[AgentBlueprintResources]
    # Which of the configured models answers the agent's calls: the one of a name, or the cheapest
    # that has all of the tags.
    model: NotRequired[AgentBlueprintModel]


class SuspensionView(TypedDict):
    """That an agent is suspended, and until when."""

    # Counts the agent's suspensions from 1.
    number: int
    cause: Literal['EXPLICIT', 'BLOCKED', 'PAGES', 'CAPACITY', 'APPROVAL', 'BUDGET', 'SCOPE']
    # For people, one line; may be empty.
    reason: str
    # What ends it by itself; empty if only a signal does.
    until: NotRequired[Any]
    # When, by the clock of the node that journaled it.
    since: str


class LostEvents(TypedDict):
    """What the store has lost of an agent's events."""

    # The number of the last event that is there.
    stored: int
    # That of the last that was acknowledged, as far as is known.
    acknowledged: int


class FailedRun(TypedDict):
    """A run that has failed."""

    runId: str
    reason: str
    at: str


class Usage(TypedDict):
    """Tokens of one or more calls, as the server reported them."""

    # All tokens of the prompts, cached ones included.
    promptTokens: int
    # Those of them that came from the prefix cache.
    cachedTokens: int
    # All tokens of the replies, reasoning included.
    completionTokens: int
    # Those of them that the model reasoned with.
    reasoningTokens: int


class RunStats(TypedDict):
    """What a run took, counted from its journaled steps."""

    # Completed steps.
    steps: int
    # Answered model calls, those within actions excluded; of a run whose tokens or money are
    # bounded those that have begun, so that one that was cut off and begun again counts twice.
    modelCalls: int
    # Tokens of the policy's and the actions' calls; of a bounded run, a call of the policy's that
    # was not answered counts as its prompt, estimated.
    usage: Usage
    # 1 if the pages of the run's first call that had any were resident in the replica of the
    # agent's node, else 0.
    placementHits: int
    # 1 if they were not, else 0.
    placementMisses: int
    # Of those tokens, in the unit of the node's prices; without trailing zeros.
    cost: str
    # Which models answered these calls, each once: by the server's name, or by the configured
    # name with the server's in parentheses. Absent where none did.
    models: NotRequired[list[str]]


class BlockedView(TypedDict):
    """Why a run rests between two steps, until an event comes or a signal ends the wait."""

    # Whether it has nothing to do; otherwise it waits for something.
    idle: bool
    # Why it waits, one line; empty for an idle one.
    reason: str
    # The agents that it waits for.
    blockingAgentIds: list[str]
    # What it waits for, where that is not just those agents.
    until: NotRequired[Any]
    # When it began to.
    since: str


class RunView(TypedDict):
    """A run that an agent has accepted and whose result is not published."""

    runId: str
    # The part of the agent's scope where request, events and result stand.
    namespace: str
    input: Any
    # Who asked for it.
    requestedBy: str
    # Names the whole of what one request set off, over all agents.
    trace: str
    # Of its trace, as OpenTelemetry's collectors know it.
    traceId: NotRequired[str]
    # Of the session that it is in; empty outside any.
    sessionId: NotRequired[str]
    # From when its time counts, by the clock of the node that journaled it.
    acceptedAt: str
    # Why a caller wants it to end; present once one does.
    cancelled: NotRequired[str]
    # What it has taken so far; empty for one that waits behind another.
    stats: NotRequired[RunStats]
    # Why its next step waits; empty where it does not.
    blocked: NotRequired[BlockedView]


class OfferedAction(TypedDict):
    """An action that a capability offers."""

    key: str
    summary: str
    effect: Literal['INTERNAL', 'EXTERNAL']
    # Whether planners are shown it.
    planned: bool
    # JSON schema of the parameters.
    parameters: Any


class CapabilityView(TypedDict):
    """A capability and the actions that its class declares."""

    key: str
    type: str
    version: int
    # Whether the policy uses it.
    active: bool
    # Why the type cannot be looked at here; then no actions are known.
    unknown: NotRequired[str]
    actions: list[OfferedAction]


class PlanRow(TypedDict):
    """A row of a plan, for people."""

    # How many levels stand above the one that it belongs to.
    depth: int
    # The name by which actions of its level refer to it; empty for a goal, what a level comes to,
    # a revision, what is waited for, and how the plan ended.
    action: NotRequired[str]
    # Of the action: a composite one is OPEN while a part of it is done, UNDONE ones are taken
    # back, ACCEPTED ones have failed and are done without.
    status: NotRequired[Literal[
        'PENDING', 'OPEN', 'WAITING', 'DONE', 'FAILED', 'ACCEPTED', 'UNDONE', 'DROPPED'
    ]]
    # One line of at most 400 characters.
    text: str


class ActionView(TypedDict):
    """An action of a step and what became of it."""

    # Names it within its run.
    actionId: str
    # Which action of which capability.
    key: str
    parameters: Any
    status: Literal[
        'SUCCEEDED', 'FAILED', 'REFUSED', 'BLOCKED', 'TIMED_OUT', 'CANCELLED', 'INTERRUPTED'
    ]
    # What it returned; JSON null where it did not succeed; where it is too large for the journal,
    # a preview, the whole being at stored.
    output: Any
    # Why it did not succeed, one line.
    error: NotRequired[str]
    # The key, in the namespace results of the agent's own scope, of an output that is too large
    # for the journal.
    stored: NotRequired[str]
    # The agents that a blocked action waits for.
    blockingAgentIds: list[str]
    # What a blocked action waits for, where that is not just those agents.
    until: NotRequired[Any]
    # Tokens of the model calls that it made.
    usage: Usage


class ErrorContext(TypedDict):
    """What went wrong in an iteration."""

    # A short stable word, for example model, action, budget.
    kind: str
    # One line for people and planners.
    message: str
    # The action in which it did.
    actionId: NotRequired[str]
    # Whether the same again may succeed.
    retryable: bool


class StepView(TypedDict):
    """A completed step."""

    type: Literal['step-completed']
    # Of the event that ended it.
    sequenceNr: int
    # That it belongs to; empty where the journal does not tell.
    runId: NotRequired[str]
    # Counted from 0 within its run.
    step: int
    # When it ended, by the clock of the node that journaled it.
    at: str
    # Since the record before it, so about as long as its last model call or its action; empty for
    # the first record that is read.
    tookMillis: NotRequired[int]
    # Its actions and what became of them, in the order in which they ended.
    actions: list[ActionView]
    modelCalls: int
    # Tokens of its model calls, those within its actions included.
    usage: Usage
    # Of those tokens, in the unit of the node's prices; in JSON as text, since readers of JSON
    # have doubles only.
    cost: str
    # Which models answered these calls, each once: by the server's name, or by the configured
    # name with the server's in parentheses.
    models: list[str]
    # Why the run waited after it.
    blocked: NotRequired[BlockedView]
    # What went wrong in it.
    error: NotRequired[ErrorContext]


class AgentDetails(TypedDict):
    """One agent with all that is known of it."""

    agentId: str
    state: Literal[
        'INITIALIZED', 'RUNNING', 'WAITING', 'LOADED', 'UNLOADED', 'IDLE', 'SUSPENDED', 'STOPPED',
        'FAILED'
    ]
    kind: Literal['VCM_BOUND', 'UNBOUND', 'SERVICE', 'SUPERVISOR']
    # The placement unit in which it lives.
    unit: int
    # When it was entered into the directory.
    since: str
    # How many runs are accepted and have no result yet.
    openRuns: int
    reason: NotRequired[str]
    # What it is suspended for; STORE where the store has lost its events.
    cause: NotRequired[str]
    suspension: NotRequired[SuspensionView]
    # What the store has lost of its events; until an operator has decided about it, the agent is
    # suspended.
    lost: NotRequired[LostEvents]
    # What it asks a person for, by the names to answer to.
    asks: list[str]
    # The last run that events have started and that has failed.
    lastFailure: NotRequired[FailedRun]
    # Empty for one that no agent spawned, or that was detached.
    parent: NotRequired[str]
    # 1 for a child of the root; empty for a root.
    depth: NotRequired[int]
    onParentStop: NotRequired[Literal['STOP', 'DETACH']]
    policy: Blueprint
    # Of the last claim, and.
    incarnation: NotRequired[int]
    # Which made it; empty for one that has not been started yet.
    node: NotRequired[str]
    # The accepted ones that have no result yet; the first is executed.
    runs: list[RunView]
    capabilities: list[CapabilityView]
    # What its policy plans, a row for each goal, action and revision; empty where the policy
    # keeps no plan.
    plan: list[PlanRow]
    # The last ones, the oldest first.
    steps: list[StepView]


class AgentSummary(TypedDict):
    """One agent of many, as directory and journal tell of it."""

    agentId: str
    state: Literal[
        'INITIALIZED', 'RUNNING', 'WAITING', 'LOADED', 'UNLOADED', 'IDLE', 'SUSPENDED', 'STOPPED',
        'FAILED'
    ]
    kind: Literal['VCM_BOUND', 'UNBOUND', 'SERVICE', 'SUPERVISOR']
    # The placement unit in which it lives.
    unit: int
    # When it was entered into the directory.
    since: str
    # How many runs are accepted and have no result yet.
    openRuns: int
    reason: NotRequired[str]
    # What it is suspended for; STORE where the store has lost its events.
    cause: NotRequired[str]
    suspension: NotRequired[SuspensionView]
    # What the store has lost of its events; until an operator has decided about it, the agent is
    # suspended.
    lost: NotRequired[LostEvents]
    # What it asks a person for, by the names to answer to.
    asks: list[str]
    # The last run that events have started and that has failed.
    lastFailure: NotRequired[FailedRun]
    # Empty for one that no agent spawned, or that was detached.
    parent: NotRequired[str]
    # 1 for a child of the root; empty for a root.
    depth: NotRequired[int]
    onParentStop: NotRequired[Literal['STOP', 'DETACH']]


class AgentPage(TypedDict):
    """A page of agents."""

    agents: list[AgentSummary]
    # Where the next page begins; empty behind the last.
    next: NotRequired[str]


class AgentRun(TypedDict):
    """A run that has ended."""

    runId: str
    status: Literal['COMPLETED', 'FAILED', 'CANCELLED']
    # What the policy ended with; JSON null where it was not the policy that ended it.
    output: Any
    # Why it did not complete, one line; present where it did not, and only there.
    error: NotRequired[str]
    stats: RunStats
    # Of the session in which it ended; empty outside any.
    sessionId: NotRequired[str]
    # Results for other agents, by name.
    exported: NotRequired[dict[str, Any]]
    # Patterns discovered on the way, a line each.
    learned: NotRequired[list[str]]
    # Whether its agent never accepted it, so that nothing was done; its idempotency key may be
    # used again, for the same input.
    refused: NotRequired[bool]
    # Why the output may be less than was asked for, one line: the bound that the run has reached
    # or come near to; only of a run that has completed.
    partial: NotRequired[str]


class AgentStatus(TypedDict):
    """What an agent last made known of its state. Announced after the change is journaled, so
    it may lag behind the truth by as long as the node needs to write it, or, where the node has
    died, until the agent is recovered; the beginning and the end of each single run are not
    announced."""

    state: Literal[
        'INITIALIZED', 'RUNNING', 'WAITING', 'LOADED', 'UNLOADED', 'IDLE', 'SUSPENDED', 'STOPPED',
        'FAILED'
    ]
    # Why it is in that state, one line: the error of a failed agent.
    reason: NotRequired[str]
    # When it was announced, by the blackboard's clock.
    since: str


class FoundRun(TypedDict):
    """Where a run that is known by its id alone was found."""

    runId: str
    agentId: str
    # That it was asked for in.
    namespace: str


class PendingApproval(TypedDict):
    """Something that an agent asks a person for, and that it waits for."""

    agentId: str
    # The name to answer to.
    request: str
    # What it is about, one line: of an action its key and its parameters.
    reason: str
    # Of the run that asks; absent where it is the suspension of the agent that does.
    runId: NotRequired[str]
    # From when on it waits.
    since: str


class PendingApprovals(TypedDict):
    """What an agent, or a page of agents, asks persons for; none where they ask for nothing."""

    approvals: list[PendingApproval]
    # Where the next page begins; missing behind the last, and for one agent.
    next: NotRequired[str]


class Problem(TypedDict):
    """Why a call was not carried out, as application/problem+json says it."""

    # Of HTTP.
    status: int
    # The kind of problem, which programs may rely on.
    code: str
    # The same for people, the same words for every problem of the code.
    title: str
    # What is wrong this time, one line.
    detail: str
    # Whether the same call may succeed later.
    retryable: bool
    # What is the matter with the blackboard, where it is that.
    reason: NotRequired[Literal[
        'UNREACHABLE', 'TIMEOUT', 'BUSY', 'LOADING', 'OUT_OF_MEMORY', 'DISK', 'READ_ONLY',
        'CLUSTER_DOWN', 'UNAUTHENTICATED', 'FORBIDDEN', 'TLS', 'UNSUPPORTED_VERSION',
        'MISCONFIGURED', 'SERVER', 'RECIPIENT_FULL', 'TENANT_FULL', 'INBOX_FULL', 'INTERRUPTED',
        'LAYOUT', 'EVENTS_LOST', 'CONCURRENT_MODIFICATION', 'ACCESS_DENIED', 'INVALID_VALUE',
        'CLOSED', 'INTERNAL'
    ]]
    type: str


class ReplyPart(TypedDict):
    """A part of what a model is answering to one of a run's calls, as it comes."""

    # That makes the call.
    agent: str
    runId: str
    # Names the call, and names it again where it is made again after a crash.
    call: str
    # When the server was asked; all parts of one attempt have the same. Of a call, the parts of
    # earlier attempts are void.
    asked: str
    # That is asked.
    model: str
    # Whether the call wants JSON for a program to read, rather than text for people.
    json: bool
    # What it is of: a server is being asked, its reasoning, the reply, the end of the call.
    kind: Literal['ASKED', 'REASONING', 'TEXT', 'ENDED']
    # How many characters of this kind the attempt has given before.
    index: int
    # Empty unless the kind is REASONING or TEXT.
    text: str


class RunEvent(TypedDict):
    """Something that a run made known, or its end."""

    runId: str
    at: str
    # Of what happened, approval-asked, approval-answered, blocked, waiting, repeated-failure,
    # limit-near, dependency-stuck and no-progress among it; of the end, how it ended.
    name: str
    # Whether it is the end.
    end: bool
    # Names this place in the run's events.
    token: str
    # Of the end, the run; of a difficulty, a Struggle.
    data: Any


class RunState(TypedDict):
    """Whether a run has ended."""

    runId: str
    # What became of it; empty while it is under way.
    result: NotRequired[AgentRun]
    ended: bool


class Closing(TypedDict):
    """The end of a session."""

    at: str
    by: str
    reason: str


class SessionTotals(TypedDict):
    """What the runs of a session came to. Each run counts once, however often its end is
    reported."""

    # That were admitted, those under way included.
    runs: int
    completed: int
    failed: int
    cancelled: int
    # Of the runs that have ended, added up.
    stats: RunStats


class Session(TypedDict):
    """Runs that belong together."""

    sessionId: str
    # Who opened it, for people.
    openedBy: str
    # By the clock of the caller that opened it.
    openedAt: str
    # When and why it was closed; empty while it is open.
    closed: NotRequired[Closing]
    totals: SessionTotals
    state: Literal['OPEN', 'CLOSED']


class SessionRun(TypedDict):
    """A run in a session's list. Its input, its events and its output stand in the agent's
    scope: AgentHandle#attach reaches them."""

    agentId: str
    namespace: str
    runId: str
    trace: str
    status: Literal['RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED']
    requestedBy: str
    # By the caller's clock.
    requestedAt: str
    # When its end was recorded; empty while it is under way.
    endedAt: NotRequired[str]
    # Nothing while it is under way.
    stats: RunStats
    # Why it failed or was cancelled, one line of at most MAX_ERROR characters.
    error: NotRequired[str]
    # Whether its agent never accepted it; a fresh try under the same id takes its place.
    refused: bool


class SessionRunPage(TypedDict):
    """Some of the runs of a session."""

    runs: list[SessionRun]
    # Where the next page begins; empty behind the last.
    next: NotRequired[str]
