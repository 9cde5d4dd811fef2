package dev.colony.deploy.build;

/** The packages that decide and do not act: plain Java, testable without anything running. */
final class PureCores {

  static final String[] PACKAGES = {
    "dev.colony.blackboard", "dev.colony.vcm", "dev.colony.vcm.placement", "dev.colony.inference"
  };

  private PureCores() {}
}
