package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.colony.blackboard.clock.TimeStore;
import io.lettuce.core.ScriptOutputType;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The cluster time in Redis, one key of one server. */
record RedisTime(RedisConnections connections) implements TimeStore {

  static final RedisScript AGREE =
      RedisScript.resource(RedisTime.class, "clock.lua", ScriptOutputType.VALUE);

  private static final String[] KEYS = {ScopeKeys.CLOCK};

  @Override
  public CompletionStage<Reading> agree(Optional<Instant> mine) {
    byte[] estimate = mine.map(RedisTime::argument).orElse(new byte[0]);
    return RedisFailure.translate(
        AGREE.<byte[]>run(connections.commands(), KEYS, estimate).thenApply(RedisTime::reading));
  }

  private static Reading reading(byte[] reply) {
    String[] millis = new String(reply, US_ASCII).split(" ");
    return new Reading(
        Instant.ofEpochMilli(Long.parseLong(millis[0])),
        Instant.ofEpochMilli(Long.parseLong(millis[1])));
  }

  /** The time as scripts take it, as their last argument: see frame.lua. */
  static byte[] argument(Instant now) {
    return Long.toString(now.toEpochMilli()).getBytes(US_ASCII);
  }
}
