package dev.colony.inference.replicas;

import dev.colony.inference.InferenceException;
import dev.colony.vcm.schedule.ClusterSnapshot.Access;
import dev.colony.vcm.schedule.ClusterState.Backlog;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** The replicas that a gateway may call, and what it hears of them by its calls. Thread-safe. */
public interface ReplicaSet {

  /** What a call showed of its replica. */
  enum Outcome {
    /** It answers. */
    SUCCEEDED,
    /** It does not, or not as it should. */
    FAILED,
    /** Nothing. */
    NOTHING;

    /**
     * What a call shows that failed so.
     *
     * @param hurried whether it had less time than a call usually has
     */
    public static Outcome of(InferenceException.Kind kind, boolean hurried) {
      return switch (kind) {
        case UNREACHABLE, SERVER_ERROR, BROKEN_OFF -> FAILED;
        case TIMEOUT -> hurried ? NOTHING : FAILED;
        case OVERLOADED, REJECTED, EVICTED, OUT_OF_BUDGET, SUSPENDED -> NOTHING;
        case QUOTA, REFUSED, TOO_LONG, BAD_REPLY -> SUCCEEDED;
      };
    }
  }

  /** The replicas of this moment, also those that may not be called now. Answers from memory. */
  Collection<Replica> replicas();

  /**
   * How a replica stands to calls. Answers from memory.
   *
   * @param full whether it has as many calls as it may
   * @param reachSeconds what a call to it takes longer than one to the nearest
   */
  Access access(String replica, boolean full, double reachSeconds);

  /** Why each replica is called or is not, in a word or two; without those that are not watched. */
  default Map<String, String> status() {
    return Map.of();
  }

  /** Whether a replica's server was there when it was asked last. Answers from memory. */
  default boolean answers(String replica) {
    return true;
  }

  /** How a replica's cache is to be told what is wanted; empty where it is not to be told. */
  default Optional<ReplicaSettings.CacheControl> eviction(String replica) {
    return Optional.empty();
  }

  /** A call is sent; {@link #ended} has to follow. */
  void sent(String replica);

  /** A call has ended. */
  void ended(String replica, Outcome outcome);

  /** All replicas of several sets, whose ids differ. */
  static ReplicaSet joined(List<? extends ReplicaSet> sets) {
    Map<String, ReplicaSet> owners = new ConcurrentHashMap<>();
    return new ReplicaSet() {
      @Override
      public Collection<Replica> replicas() {
        List<Replica> all = new ArrayList<>();
        for (ReplicaSet set : sets) {
          for (Replica one : set.replicas()) {
            owners.put(one.id(), set);
            all.add(one);
          }
        }
        if (owners.size() > all.size()) {
          owners.keySet().removeIf(id -> all.stream().noneMatch(one -> one.id().equals(id)));
        }
        return all;
      }

      @Override
      public Access access(String replica, boolean full, double reachSeconds) {
        return owner(replica)
            .map(set -> set.access(replica, full, reachSeconds))
            .orElseGet(() -> new Access(false, full, 1, reachSeconds));
      }

      @Override
      public Map<String, String> status() {
        Map<String, String> status = new HashMap<>();
        sets.forEach(set -> status.putAll(set.status()));
        return status;
      }

      @Override
      public boolean answers(String replica) {
        return owner(replica).map(set -> set.answers(replica)).orElse(false);
      }

      @Override
      public Optional<ReplicaSettings.CacheControl> eviction(String replica) {
        return owner(replica).flatMap(set -> set.eviction(replica));
      }

      @Override
      public void sent(String replica) {
        owner(replica).ifPresent(set -> set.sent(replica));
      }

      @Override
      public void ended(String replica, Outcome outcome) {
        owner(replica).ifPresent(set -> set.ended(replica, outcome));
      }

      private Optional<ReplicaSet> owner(String replica) {
        return Optional.ofNullable(owners.get(replica));
      }
    };
  }

  /** Replicas that are all taken to be well. */
  static ReplicaSet of(Supplier<? extends Collection<Replica>> replicas) {
    return new ReplicaSet() {
      @Override
      public Collection<Replica> replicas() {
        return replicas.get();
      }

      @Override
      public Access access(String replica, boolean full, double reachSeconds) {
        return new Access(true, full, 1, reachSeconds);
      }

      @Override
      public void sent(String replica) {}

      @Override
      public void ended(String replica, Outcome outcome) {}
    };
  }

  /**
   * Tells gateways what the others have sent to each replica and wait for. Reports may be lost,
   * come late and in any order: each counts for a short time and a later one takes its place.
   */
  public interface BacklogExchange {

    /** For a gateway that is alone. */
    BacklogExchange NONE =
        new BacklogExchange() {
          @Override
          public void publish(List<Backlog> backlogs) {}

          @Override
          public void listen(BiConsumer<String, List<Backlog>> reports) {}
        };

    /** Tells the others what this gateway waits for. Returns at once; nothing is waited for. */
    void publish(List<Backlog> backlogs);

    /**
     * Has reports of other gateways handed over, with the name of the gateway; from any thread.
     * One's own do not come back.
     */
    void listen(BiConsumer<String, List<Backlog>> reports);
  }
}
