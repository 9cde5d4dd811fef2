package dev.colony.agent.faults;

import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** The world beside the agent: what its actions do to it, and the model. It outlives every life. */
final class Outside {

  /** One execution of an action. */
  record Deed(String actionId, String key, String receipt) {}

  private final JournalStore store;
  private final List<Deed> deeds = new CopyOnWriteArrayList<>();
  private final Map<String, Integer> asked = new ConcurrentHashMap<>();
  private final List<String> offences = new CopyOnWriteArrayList<>();

  Outside(JournalStore store) {
    this.store = store;
  }

  /** How one life reaches the world; given to capabilities as a service. */
  interface Door {

    /** Does something to the world; the receipt differs each time. */
    String act(String actionId, String key);
  }

  Door door(Life life) {
    return (actionId, key) -> {
      synchronized (life) {
        alive(life);
        if (store.completed(actionId)) {
          offences.add(actionId + " was executed again after its step was journaled");
        }
        Deed deed = new Deed(actionId, key, actionId + "-" + (deeds.size() + 1));
        deeds.add(deed);
        return deed.receipt();
      }
    };
  }

  InferenceGateway model(Life life) {
    return new InferenceGateway() {
      @Override
      public CompletionStage<InferenceReply> complete(InferenceRequest request) {
        if (life.dead()) {
          return new CompletableFuture<>();
        }
        String[] parts = request.callId().split("/");
        String call = parts[parts.length - 2] + "/" + parts[parts.length - 1];
        int times = asked.merge(call, 1, Integer::sum);
        if (store.answered(call)) {
          offences.add("the model was asked again for " + call + ", whose reply is journaled");
        }
        return CompletableFuture.completedFuture(
            new InferenceReply(
                request.callId(), call + " reply " + times, Usage.NONE, "model", false));
      }

      @Override
      public void close() {}
    };
  }

  private static void alive(Life life) {
    if (life.dead()) {
      throw new CancellationException("the process is dead");
    }
  }

  List<Deed> deeds(String actionId) {
    return deeds.stream().filter(deed -> deed.actionId().equals(actionId)).toList();
  }

  List<String> offences() {
    return new ArrayList<>(offences);
  }
}
