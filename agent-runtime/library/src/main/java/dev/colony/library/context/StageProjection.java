package dev.colony.library.context;

import dev.colony.library.context.StageEvent.StageKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What stands on a stage: a fold over its events. Immutable; the same events give the same
 * projection, and one that comes again changes nothing.
 *
 * <p>Of each kind the newest events are kept, so that much of one kind does not push out another;
 * how many there were is known of all.
 */
public final class StageProjection {

  private final int window;
  private final long turn;
  private final Map<StageKind, List<StageEvent>> recent;
  private final Map<StageKind, Long> counts;

  private StageProjection(
      int window, long turn, Map<StageKind, List<StageEvent>> recent, Map<StageKind, Long> counts) {
    this.window = window;
    this.turn = turn;
    this.recent = recent;
    this.counts = counts;
  }

  /**
   * Nothing has happened yet.
   *
   * @param window how many events of each kind are kept, at least 1
   */
  public static StageProjection empty(int window) {
    if (window < 1) {
      throw new IllegalArgumentException("window is " + window + ", but must be at least 1");
    }
    return new StageProjection(
        window, -1, new EnumMap<>(StageKind.class), new EnumMap<>(StageKind.class));
  }

  /** The same after an event; itself, if it knows the event. Cost: linear in the window. */
  public StageProjection after(StageEvent event) {
    if (event.turn() <= turn) {
      return this;
    }
    if (saysNothing(event) || takesBackWhatOthersSet(event)) {
      return new StageProjection(window, event.turn(), recent, counts);
    }
    Map<StageKind, Long> counted = new EnumMap<>(counts);
    counted.merge(event.kind(), 1L, Long::sum);
    return with(event, event.turn(), counted);
  }

  private static boolean saysNothing(StageEvent event) {
    return event.text().isBlank() && !StageKind.HOLDING.contains(event.kind());
  }

  private boolean takesBackWhatOthersSet(StageEvent event) {
    List<StageEvent> before = recent.getOrDefault(event.kind(), List.of());
    return StageKind.HOLDING.contains(event.kind())
        && event.text().isBlank()
        && !before.isEmpty()
        && !before.getLast().actor().equals(event.actor());
  }

  /**
   * The same with something that holds since before the first event that is known: a goal or a
   * scene whose event is no longer stored. Itself, if it knows a later one.
   */
  StageProjection standing(StageEvent event) {
    return recent.containsKey(event.kind()) ? this : with(event, turn, counts);
  }

  private StageProjection with(StageEvent event, long last, Map<StageKind, Long> counted) {
    Map<StageKind, List<StageEvent>> grown = new EnumMap<>(recent);
    List<StageEvent> kept = new ArrayList<>(recent.getOrDefault(event.kind(), List.of()));
    kept.add(event);
    int over = Math.max(0, kept.size() - window);
    grown.put(event.kind(), List.copyOf(kept.subList(over, kept.size())));
    return new StageProjection(window, last, grown, counted);
  }

  StageProjection cleared() {
    return new StageProjection(
        window, turn, new EnumMap<>(StageKind.class), new EnumMap<>(StageKind.class));
  }

  /** The same as one agent may see it: without what others think. */
  public StageProjection seenBy(String agent) {
    Map<StageKind, List<StageEvent>> seen = new EnumMap<>(recent);
    Map<StageKind, Long> counted = new EnumMap<>(counts);
    for (StageKind kind : StageKind.values()) {
      if (kind.isPrivate() && seen.containsKey(kind)) {
        seen.put(kind, seen.get(kind).stream().filter(one -> one.actor().equals(agent)).toList());
        counted.put(kind, (long) seen.get(kind).size());
      }
    }
    return new StageProjection(window, turn, seen, counted);
  }

  public Optional<String> goal() {
    return last(StageKind.GOAL);
  }

  public Optional<String> currentScene() {
    return last(StageKind.WORLD);
  }

  /** What the cast has said and done, the newest last. */
  public List<StageEvent> agentNotes() {
    return merged(StageKind::isNote);
  }

  /** What was said to all, the newest last. */
  public List<StageEvent> publicSpeech() {
    return merged(StageKind::isSpeech);
  }

  /** How much was said to all, what is no longer kept included. */
  public long publicSpeechCount() {
    return counts.getOrDefault(StageKind.SPOKE, 0L)
        + counts.getOrDefault(StageKind.ORACLE_SPOKE, 0L);
  }

  /** What users threw in, the newest last. */
  public List<StageEvent> userArtifacts() {
    return merged(kind -> kind == StageKind.VISITOR);
  }

  /** What an agent may remember: what all have witnessed and what it thought, the newest last. */
  public List<StageEvent> witnessedBy(String agent) {
    return seenBy(agent).merged(kind -> kind != StageKind.GOAL && kind != StageKind.VISITOR);
  }

  private Optional<String> last(StageKind kind) {
    List<StageEvent> events = recent.getOrDefault(kind, List.of());
    return events.isEmpty()
        ? Optional.empty()
        : Optional.of(events.getLast().text()).filter(text -> !text.isBlank());
  }

  private List<StageEvent> merged(Predicate<StageKind> kinds) {
    return recent.entrySet().stream()
        .filter(one -> kinds.test(one.getKey()))
        .flatMap(one -> one.getValue().stream())
        .filter(event -> !event.text().isBlank())
        .sorted(Comparator.comparingLong(StageEvent::turn))
        .toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StageProjection stage
        && window == stage.window
        && turn == stage.turn
        && recent.equals(stage.recent)
        && counts.equals(stage.counts);
  }

  @Override
  public int hashCode() {
    return recent.hashCode() * 31 + Long.hashCode(turn);
  }

  @Override
  public String toString() {
    return "stage at turn " + turn + ": " + counts;
  }
}
