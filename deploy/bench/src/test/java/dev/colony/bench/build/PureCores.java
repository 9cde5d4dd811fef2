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
    "dev.colony.agent..",
    "dev.colony.schema..",
    "dev.colony.core..",
    "dev.colony.library..",
    "dev.colony.client.wire",
    "dev.colony.client.session",
    "dev.colony.node.home",
    "dev.colony.node.resumption",
    "dev.colony.node.activation",
  };

  private PureCores() {}
}
