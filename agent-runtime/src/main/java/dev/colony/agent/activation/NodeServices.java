package dev.colony.agent.activation;

import dev.colony.agent.Services;
import dev.colony.agent.StepListener;
import dev.colony.agent.blueprint.AgentTypes;
import dev.colony.agent.child.Families;
import dev.colony.agent.dispatch.ActionThreads;
import dev.colony.agent.hook.HookSettings;
import dev.colony.agent.inspect.HistoryReader;
import dev.colony.agent.lifecycle.RunLimits;
import dev.colony.agent.policy.PolicySettings;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.retry.Backoff;
import dev.colony.agent.session.RunRecorder;
import dev.colony.agent.stream.StreamSettings;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * What the agents of a node are made of and work with; one for each node.
 *
 * @param types policies and capabilities that agents may be made of
 * @param ports what else agents may ask for by its type
 * @param recorder records the runs of sessions
 * @param history what the journal says of agents
 * @param listener is told about steps
 * @param threads runs agents' code, each task on a thread of its own
 * @param maxSnapshotBytes of what one capability keeps
 * @param keepProgress how long what runs make known is kept
 * @param backoff between attempts to reach the blackboard
 */
public record NodeServices(
    AgentTypes types,
    Services ports,
    Families families,
    RunRecorder recorder,
    Resumptions resumptions,
    HistoryReader history,
    StepListener listener,
    Executor threads,
    ActionThreads actionThreads,
    ModelCaller models,
    HookSettings hooks,
    PolicySettings policies,
    StreamSettings streams,
    RunLimits limits,
    int maxSnapshotBytes,
    Duration keepProgress,
    Backoff backoff) {}
