package dev.colony.cli.chaos;

import dev.colony.agent.AgentId;
import dev.colony.agent.RunId;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.journal.JournalReader.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** What is promised about journals. */
final class JournalInvariants {

  private JournalInvariants() {}

  /** The journal has each step of each accepted run once, in order, with its own action. */
  static Finding noStepLost(Evidence evidence) {
    Finding finding = new Finding("no-step-lost", "steps");
    List<String> wanted = IntStream.range(0, evidence.steps()).mapToObj(Errand::actionId).toList();
    for (Map.Entry<AgentId, List<RunId>> agent : evidence.accepted().entrySet()) {
      Map<RunId, List<String>> actions = new HashMap<>();
      List<String> open = new ArrayList<>();
      int step = 0;
      for (Stored stored : evidence.journals().getOrDefault(agent.getKey(), List.of())) {
        switch (stored.content()) {
          case AgentEvent.StepCompleted done -> {
            finding.check(
                done.step() == step,
                "%s at %d: step %d where step %d is due",
                agent.getKey(),
                stored.sequenceNr(),
                done.step(),
                step);
            step = done.step() + 1;
            done.call().ifPresent(call -> open.add(call.result().actionId()));
          }
          case AgentEvent.RunCompleted completed -> {
            actions.put(completed.run().runId(), List.copyOf(open));
            open.clear();
            step = 0;
          }
          default -> {}
        }
      }
      for (RunId run : agent.getValue()) {
        finding.check(
            wanted.equals(actions.get(run)),
            "run %s of %s: actions %s",
            run,
            agent.getKey(),
            actions.get(run));
      }
    }
    return finding;
  }

  /**
   * One incarnation commits at a time: numbers without a gap, claims that grow, and from one claim
   * to the next one writer.
   */
  static Finding oneIncarnation(Evidence evidence) {
    Finding finding = new Finding("one-committing-incarnation", "events");
    evidence
        .journals()
        .forEach((agent, events) -> {
          long due = 1;
          long incarnation = 0;
          String writer = events.isEmpty() ? "" : events.getFirst().writer();
          for (Stored stored : events) {
            boolean inOrder = stored.sequenceNr() == due;
            if (stored.content() instanceof AgentEvent.Claimed claimed) {
              finding.check(
                  inOrder && claimed.incarnation() > incarnation,
                  "%s at %d: claim %d after claim %d; number %d was due",
                  agent,
                  stored.sequenceNr(),
                  claimed.incarnation(),
                  incarnation,
                  due);
              incarnation = claimed.incarnation();
              writer = stored.writer();
            } else {
              finding.check(
                  inOrder && stored.writer().equals(writer),
                  "%s at %d: written by %s, claimed by %s; number %d was due",
                  agent,
                  stored.sequenceNr(),
                  stored.writer(),
                  writer,
                  due);
            }
            due = stored.sequenceNr() + 1;
          }
        });
    return finding;
  }

  /** How often agents were claimed, and by how many processes. */
  static String figures(Evidence evidence) {
    List<AgentEvent.Claimed> claims =
        evidence.journals().values().stream()
            .flatMap(List::stream)
            .map(Stored::content)
            .filter(AgentEvent.Claimed.class::isInstance)
            .map(AgentEvent.Claimed.class::cast)
            .toList();
    return "%d agents were claimed %d times by %d processes"
        .formatted(
            evidence.journals().size(),
            claims.size(),
            claims.stream().map(AgentEvent.Claimed::node).distinct().count());
  }
}
