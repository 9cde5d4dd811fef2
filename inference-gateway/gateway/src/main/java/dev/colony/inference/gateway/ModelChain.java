package dev.colony.inference.gateway;

import dev.colony.inference.InferenceException;
import dev.colony.inference.InferenceException.Kind;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The models that may answer a call, in their order, and the one that is asked now. */
final class ModelChain {

  private final List<String> models;
  private Optional<InferenceException> why = Optional.empty();
  private int now;

  /**
   * @param models names, at least one
   */
  ModelChain(List<String> models) {
    this.models = List.copyOf(models);
  }

  /** The name of the one that is asked. */
  String model() {
    return models.get(now);
  }

  /** Whether none stands in for it. */
  boolean last() {
    return now == models.size() - 1;
  }

  /** The name of the one that others stand in for. */
  String first() {
    return models.getFirst();
  }

  /** What the first has failed with last; empty where it was asked nothing. */
  Optional<InferenceException> why() {
    return why;
  }

  /** The one that is asked has failed, which may be not for the last time. */
  void failed(InferenceException failure) {
    if (now == 0) {
      why = Optional.of(failure);
    }
  }

  /** Goes on to the next; false if there is none. */
  boolean next() {
    if (last()) {
      return false;
    }
    now++;
    return true;
  }

  /**
   * Goes on to the first that is available, from the one that is asked on; stays where none is.
   *
   * @return whether it went on
   */
  boolean skip(Predicate<String> available) {
    for (int at = now; at < models.size(); at++) {
      if (available.test(models.get(at))) {
        boolean moved = at > now;
        now = at;
        return moved;
      }
    }
    return false;
  }

  /**
   * Whether a call that a model's servers have failed, retries included, may be answered by the
   * next model. Not where the model has answered, or the request or its key is at fault: what is
   * wrong there has to be mended, and another model would hide it. Nor where a budget is spent,
   * which holds for all models.
   */
  static boolean fallsBack(Kind kind) {
    return switch (kind) {
      case UNREACHABLE, SERVER_ERROR, OVERLOADED, QUOTA, TOO_LONG, TIMEOUT, BROKEN_OFF -> true;
      case REJECTED, EVICTED, OUT_OF_BUDGET, REFUSED, BAD_REPLY -> false;
    };
  }
}
