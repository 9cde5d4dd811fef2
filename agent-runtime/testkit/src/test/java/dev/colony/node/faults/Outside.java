package dev.colony.node.faults;

import dev.colony.inference.InferenceDelta;
import dev.colony.inference.InferenceGateway;
import dev.colony.inference.InferenceReply;
import dev.colony.inference.InferenceRequest;
import dev.colony.inference.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/** The world beside the agent: what its actions do to it, and the model. It outlives every life. */
final class Outside {

  /** One execution of an action. */
  record Deed(String actionId, String key, String receipt) {}

  /** What each model call takes that an action makes. */
  static final Usage OF_ACTIONS = new Usage(70, 0, 30);

  private final JournalStore store;
  private final List<Deed> deeds = new CopyOnWriteArrayList<>();
  private final Map<String, List<String>> asked = new ConcurrentHashMap<>();
  private volatile Optional<Hold> hold = Optional.empty();

  /** Which call's reply an action follows from. */
  private static final Map<String, String> DECIDED_BY = Map.of("send", "1/plan", "pay", "2/plan");

  private final List<String> offences = new CopyOnWriteArrayList<>();

  Outside(JournalStore store) {
    this.store = store;
  }

  /** Keeps an agent waiting, once. */
  static final class Hold {

    private final String what;
    private final CompletableFuture<Void> reached = new CompletableFuture<>();
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    private Hold(String what) {
      this.what = what;
    }

    boolean reached() {
      return reached.isDone();
    }

    void release() {
      released.complete(null);
    }
  }

  /**
   * Keeps the next call of the model of that name, as in {@code 2/plan}, or the next execution of
   * that action, until it is released.
   */
  Hold hold(String what) {
    Hold next = new Hold(what);
    hold = Optional.of(next);
    return next;
  }

  private Optional<Hold> holding(String what) {
    return hold.filter(one -> one.what.equals(what) && one.reached.complete(null));
  }

  /** How one life reaches the world; given to capabilities as a service. */
  interface Door {

    /** Does something to the world; the receipt differs each time. */
    String act(String actionId, String key);
  }

  Door door(Life life) {
    return (actionId, key) -> {
      Deed deed = done(life, actionId, key);
      holding(actionId).ifPresent(Outside::wait);
      return deed.receipt();
    };
  }

  private Deed done(Life life, String actionId, String key) {
    synchronized (life) {
      alive(life);
      if (store.completed(actionId)) {
        offences.add(actionId + " was executed again after its step was journaled");
      }
      String reply = DECIDED_BY.getOrDefault(actionId, "");
      if (asked.containsKey(reply) && !store.answered(reply)) {
        offences.add(actionId + " was executed before the reply was journaled that chose it");
      }
      Deed deed = new Deed(actionId, key, actionId + "-" + (deeds.size() + 1));
      deeds.add(deed);
      return deed;
    }
  }

  private static void wait(Hold hold) {
    try {
      hold.released.get();
    } catch (InterruptedException | ExecutionException cutOff) {
      throw new CancellationException("it was cut off");
    }
  }

  InferenceGateway model(Life life) {
    return new InferenceGateway() {
      @Override
      public CompletionStage<InferenceReply> complete(
          InferenceRequest request, Consumer<InferenceDelta> parts) {
        if (life.dead()) {
          return new CompletableFuture<>();
        }
        String[] names = request.callId().split("/");
        String call = names[names.length - 2] + "/" + names[names.length - 1];
        List<String> keys = asked.computeIfAbsent(call, any -> new CopyOnWriteArrayList<>());
        keys.add(request.callId());
        int times = keys.size();
        if (store.answered(call)) {
          offences.add("the model was asked again for " + call + ", whose reply is journaled");
        }
        InferenceReply reply =
            InferenceReply.text(
                request.callId(),
                call + " reply " + times,
                request.callId().contains("/action/") ? OF_ACTIONS : Usage.NONE,
                "model",
                false);
        return holding(call)
            .map(held -> held.released.thenApply(done -> reply))
            .orElseGet(() -> CompletableFuture.completedFuture(reply));
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

  /** How many calls of the model were repetitions of one before. */
  int repeatedCalls() {
    return asked.values().stream().mapToInt(keys -> keys.size() - 1).sum();
  }

  /** The idempotency keys of the calls of a name. */
  List<String> keys(String call) {
    return List.copyOf(asked.getOrDefault(call, List.of()));
  }

  List<Deed> deeds(String actionId) {
    return deeds.stream().filter(deed -> deed.actionId().equals(actionId)).toList();
  }

  List<String> offences() {
    return new ArrayList<>(offences);
  }
}
