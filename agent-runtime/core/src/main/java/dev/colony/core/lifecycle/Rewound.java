package dev.colony.core.lifecycle;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.colony.agent.RunStats;
import dev.colony.agent.action.Action;
import dev.colony.agent.action.Action.ActionCall;
import dev.colony.agent.action.ActionResult;
import dev.colony.agent.action.ActionResult.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * That a run was rewound: it goes on from an earlier step, in another attempt.
 *
 * @param attempt which one this is; the first is 1, and was not rewound
 * @param spent what all attempts before have taken
 * @param deeds what the steps that were taken back have done to the world, in its order, without
 *     what has come up again since
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Rewound(int attempt, RunStats spent, List<Deed> deeds) {

  public Rewound {
    spent = spent == null ? RunStats.NONE : spent;
    deeds = deeds == null ? List.of() : List.copyOf(deeds);
  }

  /**
   * An external action that may have taken effect.
   *
   * @param action its references resolved
   * @param key the idempotency key that it was executed under
   * @param retryable whether it may be executed again under that key
   */
  public record Deed(Action action, String key, boolean retryable, ActionResult result) {

    /** Whether an action is the same, whatever its id. */
    boolean same(Action other) {
      return action.key().equals(other.key()) && action.resolves(other.params());
    }

    /** Whether it is not executed again: it is done, or may be and must not be done twice. */
    public boolean settled() {
      return result.status() == Status.SUCCEEDED || !retryable;
    }

    /** Whether an action that has ended so may have taken effect, or may be repeated safely. */
    static boolean stands(ActionResult result, boolean retryable) {
      return switch (result.status()) {
        case SUCCEEDED, TIMED_OUT, CANCELLED, INTERRUPTED -> true;
        case FAILED -> retryable;
        case REFUSED, BLOCKED -> false;
      };
    }
  }

  /** This and a further part of the same. */
  Rewound plus(Rewound part) {
    List<Deed> all = new ArrayList<>(deeds);
    all.addAll(part.deeds);
    return new Rewound(attempt, spent, all);
  }

  /** What was done of an action that comes up again; empty if it was not. */
  public Optional<Deed> deed(Action action) {
    return deeds.stream().filter(one -> one.same(action)).findFirst();
  }

  /** The same after an action that has come up again. */
  Rewound after(ActionCall call) {
    return call.result().status() == Status.REFUSED
        ? this
        : deed(call.action()).map(this::without).orElse(this);
  }

  /** The same without something that was done. */
  public Rewound without(Deed deed) {
    List<Deed> rest = new ArrayList<>(deeds);
    rest.remove(deed);
    return new Rewound(attempt, spent, rest);
  }
}
