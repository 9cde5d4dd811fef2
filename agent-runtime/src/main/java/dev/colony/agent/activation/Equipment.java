package dev.colony.agent.activation;

import dev.colony.agent.Services;
import dev.colony.agent.blueprint.AgentTypes;
import dev.colony.agent.child.Families;
import dev.colony.agent.dispatch.ActionThreads;
import dev.colony.agent.hook.HookSettings;
import dev.colony.agent.lifecycle.RunLimits;
import dev.colony.agent.policy.PolicySettings;
import dev.colony.agent.resumption.Resumptions;
import dev.colony.agent.retry.Backoff;
import dev.colony.agent.stream.StreamSettings;
import java.time.Duration;
import java.util.concurrent.Executor;

/**
 * What the agents of a node are made of and work with.
 *
 * @param threads runs agents' code, each task on a thread of its own
 * @param maxSnapshotBytes of what one capability keeps
 * @param keepProgress how long what runs make known is kept
 * @param backoff between attempts to reach the blackboard
 */
public record Equipment(
    AgentTypes types,
    Services services,
    Families families,
    Resumptions resumptions,
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
