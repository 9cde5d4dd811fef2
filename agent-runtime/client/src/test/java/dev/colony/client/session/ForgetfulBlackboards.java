package dev.colony.client.session;

import dev.colony.agent.fixture.GuardedBlackboards;
import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.Blackboards;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** Blackboards of which some transactions take effect and fail to say so, as over a lost line. */
final class ForgetfulBlackboards {

  private ForgetfulBlackboards() {}

  static Blackboards of(Blackboards sound, BooleanSupplier forgets) {
    return GuardedBlackboards.of(
        sound,
        (method, arguments, call) -> {
          Object result = call.call();
          return method.getName().equals("transaction") && forgets.getAsBoolean()
              ? forgotten((CompletionStage<?>) result)
              : result;
        });
  }

  private static CompletionStage<Object> forgotten(CompletionStage<?> done) {
    return done.thenApply(answer -> {
      throw new BlackboardException(BlackboardException.Reason.TIMEOUT, "no answer in time");
    });
  }
}
