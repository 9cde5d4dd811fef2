package dev.colony.library.context;

import dev.colony.library.context.StageEvent.StageKind;
import java.util.ArrayList;
import java.util.List;

/** A stage without a blackboard: events in the order in which they are told. */
final class Scenes {

  private final List<StageEvent> events = new ArrayList<>();

  Scenes on(StageKind kind, String actor, String text) {
    events.add(new StageEvent(events.size() + 1, kind, actor, text));
    return this;
  }

  /** PromptText {@code from} to {@code to} of a discussion, each of its own. */
  Scenes lines(int from, int to) {
    for (int i = from; i <= to; i++) {
      on(StageKind.SPOKE, i % 2 == 0 ? "ada" : "bob", "line number " + i + ".");
    }
    return this;
  }

  List<StageEvent> events() {
    return events;
  }

  StageProjection projection() {
    return projected(events, 200);
  }

  static StageProjection projected(List<StageEvent> events, int window) {
    StageProjection stage = StageProjection.empty(window);
    for (StageEvent event : events) {
      stage = stage.after(event);
    }
    return stage;
  }
}
