package dev.colony.node.activation;

import dev.colony.agent.author.Agent.BackgroundProcess;
import dev.colony.agent.author.AgentCapability;
import dev.colony.core.capability.BackgroundMethod;
import dev.colony.core.capability.CapabilityType;
import dev.colony.core.logging.LogNames;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The background processes of one agent, each on a thread of its own until the agent retires. */
final class BackgroundLoops {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundLoops.class);

  private record Loop(AgentCapability capability, BackgroundMethod method) {}

  private final ActiveAgent agent;
  private final List<Loop> loops = new ArrayList<>();

  BackgroundLoops(ActiveAgent agent, List<AgentCapability> capabilities) {
    this.agent = agent;
    for (AgentCapability capability : capabilities) {
      for (BackgroundMethod method : CapabilityType.of(capability.getClass()).backgrounds()) {
        loops.add(new Loop(capability, method));
      }
    }
  }

  /** As the planning prompt names them. */
  List<BackgroundProcess> named() {
    return loops.stream()
        .map(loop ->
            new BackgroundProcess(
                loop.capability().capabilityKey(), loop.method().name(), loop.method().effect()))
        .toList();
  }

  void start(Executor threads) {
    LogNames names = LogNames.of(agent.id());
    loops.forEach(loop -> threads.execute(names.on(() -> agent.inBackground(() -> run(loop)))));
  }

  private void run(Loop loop) {
    Thread self = Thread.currentThread();
    agent.token().onCancel(self::interrupt);
    boolean works = true;
    do {
      works = called(loop, works);
    } while (paused(loop));
  }

  /**
   * @param worked whether it did the last time; a failure is reported only then
   */
  private boolean called(Loop loop, boolean worked) {
    try {
      loop.method().call(loop.capability());
      return true;
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    } catch (Throwable failure) {
      Failures.throwIfOfMachine(failure);
      if (worked && !agent.token().cancelled()) {
        LOG.warn(
            "the background process {} of {} in agent {} failed: {}; it is called again",
            loop.method().name(),
            loop.capability().capabilityKey(),
            agent.id(),
            failure.toString());
      }
    }
    return false;
  }

  private boolean paused(Loop loop) {
    try {
      TimeUnit.NANOSECONDS.sleep(loop.method().every().toNanos());
      return !agent.token().cancelled();
    } catch (InterruptedException retired) {
      return false;
    }
  }
}
