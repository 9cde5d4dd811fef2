package dev.colony.blackboard.redis;

import dev.colony.blackboard.redis.RedisFailure.BrokenConnection;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One Lua script, sent by its digest (EVALSHA) and by its text where the server does not know it
 * yet. It may run twice for one call when a connection breaks, so it must be idempotent.
 */
public final class RedisScript {

  private static final Pattern COMMAND = Pattern.compile("redis\\.p?call\\(\\s*'(\\w+)'");

  private final byte[] text;
  private final ScriptOutputType output;
  private volatile String digest;

  private RedisScript(byte[] text, ScriptOutputType output) {
    this.text = text;
    this.output = output;
  }

  /** The script in a resource beside a class. */
  public static RedisScript resource(Class<?> owner, String name, ScriptOutputType output) {
    return resources(owner, output, name);
  }

  /** One script of several resources beside a class, in this order: definitions, then their use. */
  public static RedisScript resources(Class<?> owner, ScriptOutputType output, String... names) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (String name : names) {
      try (InputStream in = owner.getResourceAsStream(name)) {
        if (in == null) {
          throw new IllegalStateException("no resource " + name + " beside " + owner.getName());
        }
        in.transferTo(text);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
    return new RedisScript(text.toByteArray(), output);
  }

  /** The script's text, for tools that drive the same script by other means. */
  public String text() {
    return new String(text, StandardCharsets.UTF_8);
  }

  /** The commands that the text names, in capitals; those it takes from its arguments are not. */
  public Set<String> commands() {
    return COMMAND
        .matcher(text())
        .results()
        .map(call -> call.group(1).toUpperCase(Locale.ROOT))
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Runs it, again where the connection breaks; the stage fails as Lettuce reports it. While Redis
   * is away it takes up to 5 s more than the command timeout; a call that failed for that may have
   * been carried out. Calls under way at the same time may be carried out in any order.
   */
  public <T> CompletionStage<T> run(
      RedisClusterAsyncCommands<String, byte[]> redis, String[] keys, byte[]... arguments) {
    String sha = digest;
    if (sha == null) {
      sha = redis.digest(text);
      digest = sha;
    }
    String known = sha;
    return BrokenConnection.survive(() -> runOnce(redis, known, keys, arguments));
  }

  private <T> CompletionStage<T> runOnce(
      RedisClusterAsyncCommands<String, byte[]> redis,
      String sha,
      String[] keys,
      byte[][] arguments) {
    return redis
        .<T>evalsha(sha, output, keys, arguments)
        .exceptionallyCompose(failure ->
            BrokenConnection.cause(failure) instanceof RedisNoScriptException
                ? redis.<T>eval(text, output, keys, arguments)
                : CompletableFuture.failedStage(failure));
  }
}
