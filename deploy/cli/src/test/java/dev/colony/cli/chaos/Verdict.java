package dev.colony.cli.chaos;

import java.util.List;
import java.util.stream.Collectors;

/** All invariants, held against one chaos run. */
record Verdict(List<Finding> findings, String figures) {

  private static final int SHOWN = 5;

  /** Gathers what is left of a load that was put on a cluster, and holds it against all of them. */
  static Verdict of(Load load, ChaosCluster cluster, DeedServer world) {
    return of(
        new Evidence(
            load.steps(),
            load.accepted(),
            load.answers(),
            cluster.published(load.accepted()),
            cluster.journals(load.accepted().keySet()),
            world.deeds()));
  }

  static Verdict of(Evidence evidence) {
    return new Verdict(
        List.of(
            RunInvariants.everyRunEnds(evidence),
            RunInvariants.oneResult(evidence),
            DeedInvariants.paidOnce(evidence),
            DeedInvariants.sentUnderOneKey(evidence),
            JournalInvariants.noStepLost(evidence),
            JournalInvariants.oneIncarnation(evidence)),
        JournalInvariants.figures(evidence) + "; " + DeedInvariants.figures(evidence));
  }

  /** All of them are in the text; these are the first. */
  List<String> violations() {
    return findings.stream()
        .flatMap(finding -> finding.violations().stream())
        .limit(SHOWN)
        .toList();
  }

  @Override
  public String toString() {
    return findings.stream().map(Finding::toString).collect(Collectors.joining("\n"))
        + "\n"
        + figures;
  }
}
