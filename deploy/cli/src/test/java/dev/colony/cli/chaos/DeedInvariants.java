package dev.colony.cli.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.colony.agent.AgentRun;
import dev.colony.agent.RunId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is promised to the world outside. */
final class DeedInvariants {

  private static final String SUCCEEDED = "SUCCEEDED";
  private static final String INTERRUPTED = "INTERRUPTED";

  private DeedInvariants() {}

  /** A step of a run. */
  private record Place(String run, int step) {}

  /**
   * An action that must not be repeated is done once where it succeeded, at most once where it was
   * interrupted, and never else.
   */
  static Finding paidOnce(Evidence evidence) {
    Finding finding = new Finding("no-non-retryable-twice", "payments");
    Map<Place, List<Deed>> done = byPlace(evidence, Errand.Kind.PAY);
    Set<String> keys = new HashSet<>();
    done.values()
        .forEach(deeds ->
            deeds.forEach(deed ->
                finding.check(
                    keys.add(deed.key()), "the key %s was used again by %s", deed.key(), deed)));
    forEach(
        evidence,
        Errand.Kind.PAY,
        (place, status) -> {
          int times = done.getOrDefault(place, List.of()).size();
          boolean right =
              switch (status) {
                case SUCCEEDED -> times == 1;
                case INTERRUPTED -> times <= 1;
                default -> false;
              };
          finding.check(right, "%s is %s and was done %d times", place, status, times);
        });
    return finding;
  }

  /** One that may be repeated is, under the key of its step, which no other step has. */
  static Finding sentUnderOneKey(Evidence evidence) {
    Finding finding = new Finding("retryable-under-one-key", "messages");
    Map<Place, List<Deed>> done = byPlace(evidence, Errand.Kind.SEND);
    Map<String, Place> owners = new HashMap<>();
    done.forEach((place, deeds) ->
        deeds.forEach(deed -> {
          Place owner = owners.computeIfAbsent(deed.key(), any -> place);
          finding.check(
              owner.equals(place) && deed.key().equals(deeds.getFirst().key()),
              "%s was done under another key before, or its key is that of %s",
              deed,
              owner);
        }));
    forEach(
        evidence,
        Errand.Kind.SEND,
        (place, status) ->
            finding.check(
                status.equals(SUCCEEDED) && done.containsKey(place),
                "%s is %s and was done %d times",
                place,
                status,
                done.getOrDefault(place, List.of()).size()));
    return finding;
  }

  /** How many deeds were done again, or were never heard of again. */
  static String figures(Evidence evidence) {
    Map<Place, List<Deed>> sent = byPlace(evidence, Errand.Kind.SEND);
    int again = sent.values().stream().mapToInt(deeds -> deeds.size() - 1).sum();
    int[] interrupted = new int[1];
    forEach(
        evidence,
        Errand.Kind.PAY,
        (place, status) -> interrupted[0] += status.equals(INTERRUPTED) ? 1 : 0);
    return "%d messages were sent again, %d payments were interrupted"
        .formatted(again, interrupted[0]);
  }

  private static Map<Place, List<Deed>> byPlace(Evidence evidence, Errand.Kind kind) {
    Map<Place, List<Deed>> done = new HashMap<>();
    evidence.deeds().stream()
        .filter(deed -> deed.kind() == kind)
        .forEach(deed ->
            done.computeIfAbsent(new Place(deed.run(), deed.step()), any -> new ArrayList<>())
                .add(deed));
    return done;
  }

  @FunctionalInterface
  private interface Each {
    void step(Place place, String status);
  }

  /** What the runs say themselves of the steps of one kind. */
  private static void forEach(Evidence evidence, Errand.Kind kind, Each each) {
    for (RunId run : evidence.runs()) {
      JsonNode statuses = output(evidence.answered().get(run));
      for (int step = 0; step < statuses.size(); step++) {
        if (Errand.kind(step) == kind) {
          each.step(new Place(run.value(), step), statuses.get(step).asText());
        }
      }
    }
  }

  private static JsonNode output(AgentRun run) {
    return run == null ? JsonNodeFactory.instance.arrayNode() : run.output();
  }
}
