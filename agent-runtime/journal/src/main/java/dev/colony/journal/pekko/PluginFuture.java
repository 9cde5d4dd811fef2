package dev.colony.journal.pekko;

import dev.colony.journal.RedisRetry;
import java.util.concurrent.CompletionStage;
import scala.concurrent.Future;
import scala.concurrent.Promise;

/**
 * Hands a stage to Pekko with the failure itself, not wrapped in a {@code CompletionException}:
 * actors tell failures apart by their type.
 */
final class PluginFuture {

  private PluginFuture() {}

  static <T> Future<T> of(CompletionStage<T> stage) {
    Promise<T> promise = Promise.apply();
    stage.whenComplete((value, failure) -> {
      if (failure == null) {
        promise.success(value);
      } else {
        promise.failure(RedisRetry.unwrap(failure));
      }
    });
    return promise.future();
  }
}
