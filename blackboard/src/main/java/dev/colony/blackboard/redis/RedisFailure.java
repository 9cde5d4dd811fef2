package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The one place where what Lettuce reports becomes what the blackboard reports. */
final class RedisFailure {

  /** Answers of a server that is loading, failing over or short of memory: states that end. */
  private static final Set<String> PASSING =
      Set.of("LOADING", "MASTERDOWN", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "OOM", "MISCONF");

  private RedisFailure() {}

  /** A reading command, repeated where the connection breaks, failing with our exception only. */
  static <T> CompletionStage<T> reading(Supplier<CompletionStage<T>> command) {
    return translate(BrokenConnection.survive(command));
  }

  /** The same stage, failing with {@link BlackboardException} only. */
  static <T> CompletionStage<T> translate(CompletionStage<T> stage) {
    return stage.exceptionally(failure -> {
      throw of(failure);
    });
  }

  static BlackboardException of(Throwable failure) {
    Throwable cause = BrokenConnection.cause(failure);
    return switch (cause) {
      case BlackboardException already -> already;
      case RedisCommandTimeoutException timeout ->
          new BlackboardException("Redis does not answer: " + timeout.getMessage(), timeout, true);
      case RedisBusyException busy ->
          new BlackboardException("Redis is busy: " + busy.getMessage(), busy, true);
      case RedisCommandExecutionException refused ->
          new BlackboardException(
              "Redis refuses: " + refused.getMessage(), refused, passing(refused.getMessage()));
      case IOException connection ->
          new BlackboardException(
              "Redis cannot be reached: " + connection.getMessage(), connection, true);
      case RedisException connection ->
          new BlackboardException(
              "Redis cannot be reached: " + connection.getMessage(), connection, true);
      default -> new BlackboardException("the Redis backend fails: " + cause, cause, false);
    };
  }

  /** The stage of an operation on a backend that has been closed. */
  static <T> CompletionStage<T> closed() {
    return CompletableFuture.failedStage(
        new BlackboardException("the blackboard is closed", null, false));
  }

  private static boolean passing(String message) {
    return message != null && PASSING.contains(message.split(" ", 2)[0]);
  }
}
