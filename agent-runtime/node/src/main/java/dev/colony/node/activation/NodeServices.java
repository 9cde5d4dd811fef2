package dev.colony.node.activation;

import dev.colony.agent.author.PolicySettings;
import dev.colony.agent.stream.StreamSettings;
import dev.colony.client.child.ChildService;
import dev.colony.client.history.HistoryReader;
import dev.colony.client.session.RunRecorder;
import dev.colony.core.dispatch.ActionThreads;
import dev.colony.core.hook.HookSettings;
import dev.colony.core.lifecycle.RunLimits;
import dev.colony.core.registry.AgentTypes;
import dev.colony.core.retry.Backoff;
import dev.colony.node.NodePorts;
import dev.colony.node.StepListener;
import dev.colony.node.resumption.Resumptions;
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
    NodePorts ports,
    ChildService families,
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
