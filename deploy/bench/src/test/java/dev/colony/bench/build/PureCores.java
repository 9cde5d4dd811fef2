package dev.colony.bench.build;

/** The packages that decide and do not act: plain Java, testable without anything running. */
final class PureCores {

  static final String[] PACKAGES = {
    "dev.colony.blackboard",
    "dev.colony.blackboard.board",
    "dev.colony.blackboard.feed",
    "dev.colony.blackboard.key",
    "dev.colony.blackboard.policy",
    "dev.colony.blackboard.protocol",
    "dev.colony.blackboard.store",
    "dev.colony.vcm",
    "dev.colony.vcm.grouping",
    "dev.colony.vcm.index",
    "dev.colony.vcm.placement",
    "dev.colony.inference",
    "dev.colony.inference.lexical",
    "dev.colony.inference.prefix",
    "dev.colony.inference.routing",
    "dev.colony.agent",
    "dev.colony.agent.action",
    "dev.colony.agent.blueprint",
    "dev.colony.agent.capability",
    "dev.colony.agent.capacity",
    "dev.colony.agent.context",
    "dev.colony.agent.dispatch",
    "dev.colony.agent.home",
    "dev.colony.agent.hook",
    "dev.colony.agent.lifecycle",
    "dev.colony.agent.memory",
    "dev.colony.agent.pages",
    "dev.colony.agent.policy",
    "dev.colony.agent.prompt",
    "dev.colony.agent.research",
    "dev.colony.agent.activation",
    "dev.colony.agent.resumption",
    "dev.colony.agent.schema",
    "dev.colony.agent.session",
    "dev.colony.agent.step",
    "dev.colony.agent.stream",
    "dev.colony.agent.suspension",
    "dev.colony.agent.wire",
  };

  private PureCores() {}
}
