package dev.colony.blackboard.redis;

import dev.colony.blackboard.BlackboardException;
import dev.colony.blackboard.BlackboardException.Reason;
import dev.colony.blackboard.payload.PayloadStore;
import dev.colony.blackboard.payload.PayloadStore.PayloadSettings;
import dev.colony.blackboard.payload.PayloadVault;
import io.lettuce.core.SetArgs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * Binds a Redis to the store of its payloads, both ways: a random name of the store stands in
 * Redis, and a file of that name in the store. So neither another folder, nor one that is not
 * mounted, nor what another Redis refers to is taken for it.
 */
public final class BoundPayloads {

  private static final String KEY = "colony:payloads";
  private static final byte[] SIGN =
      "payloads of Colony on Pekko\n".getBytes(StandardCharsets.UTF_8);

  private BoundPayloads() {}

  /**
   * Opens the store that the settings name, if they name one. Blocks.
   *
   * @param patience how long a store that cannot be reached is asked again
   * @throws BlackboardException where the store cannot be used, or is not the one that this Redis
   *     has its payloads in
   */
  public static PayloadVault open(
      PayloadSettings settings, RedisConnections redis, Duration patience) {
    Optional<PayloadStore> store = Optional.empty();
    try {
      store = PayloadStore.open(settings);
      return store.isEmpty()
          ? PayloadVault.none()
          : new PayloadVault(store, bound(store.get(), redis), patience);
    } catch (IOException | UncheckedIOException | IllegalArgumentException failure) {
      store.ifPresent(PayloadStore::close);
      throw new BlackboardException(
          Reason.MISCONFIGURED,
          "the store of payloads cannot be used: " + failure.getMessage(),
          failure);
    }
  }

  private static String bound(PayloadStore store, RedisConnections redis) throws IOException {
    Optional<String> known = name(redis);
    if (known.isEmpty()) {
      String name = UUID.randomUUID().toString();
      store.put(sign(name), SIGN);
      redis
          .commands()
          .set(KEY, name.getBytes(StandardCharsets.UTF_8), SetArgs.Builder.nx())
          .toCompletableFuture()
          .join();
      known = name(redis);
      if (!known.equals(Optional.of(name))) {
        store.delete(sign(name));
      }
    }
    String name = known.orElseThrow();
    if (store.get(sign(name), 1).isEmpty()) {
      throw new IOException(
          ("%s is not where Redis at %s has its payloads, it lacks %s: is the folder mounted, and"
                  + " is it the same bucket and prefix?")
              .formatted(store, redis.address(), sign(name)));
    }
    return name;
  }

  /** Whether this Redis has payloads in a store. Blocks. */
  public static boolean exist(RedisConnections redis) {
    return name(redis).isPresent();
  }

  private static Optional<String> name(RedisConnections redis) {
    return Optional.ofNullable(redis.commands().get(KEY).toCompletableFuture().join())
        .map(name -> new String(name, StandardCharsets.UTF_8));
  }

  private static String sign(String name) {
    return name + ".vault";
  }
}
