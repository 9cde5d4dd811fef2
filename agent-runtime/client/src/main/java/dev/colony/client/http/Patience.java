package dev.colony.client.http;

import dev.colony.blackboard.clock.Deadline;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** How long a client goes on asking a server that does not answer. */
sealed interface Patience {

  /** Whether another attempt is made after a pause. */
  boolean lasts(Duration pause);

  /** Until some time from now. */
  static Patience of(Duration longest) {
    return new Until(Deadline.in(longest));
  }

  /** As long as the answer is wanted. */
  static Patience unless(BooleanSupplier over) {
    return new Unless(over);
  }

  record Until(Deadline deadline) implements Patience {
    @Override
    public boolean lasts(Duration pause) {
      return deadline.allows(pause);
    }
  }

  /** Without a limit of its own. */
  record Unless(BooleanSupplier over) implements Patience {
    @Override
    public boolean lasts(Duration pause) {
      return !over.getAsBoolean();
    }
  }
}
