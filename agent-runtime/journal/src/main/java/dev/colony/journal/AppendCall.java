package dev.colony.journal;

import dev.colony.blackboard.redis.RedisConnections;
import dev.colony.blackboard.redis.RedisScript;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * One append, with all that its script needs; the same bytes each time it is sent, so that sending
 * it twice is an exact repeat.
 *
 * @param slot the persistence id's slot
 * @param from the sequence number of the first frame
 * @param writer whose append it is
 * @param index what it does to the slot's index, if anything
 */
public record AppendCall(
    JournalKeys keys,
    int slot,
    String persistenceId,
    long from,
    String writer,
    Optional<IndexChange> index,
    List<byte[]> frames) {

  static final RedisScript SCRIPT =
      RedisScript.resource(AppendCall.class, "append.lua", ScriptOutputType.INTEGER);

  static final String DIGEST = sha1(SCRIPT.text().getBytes(StandardCharsets.UTF_8));

  /** What an event's tag does to the index of outstanding work. */
  public enum IndexChange {
    OUTSTANDING("SADD"),
    SETTLED("SREM");

    private final String command;

    IndexChange(String command) {
      this.command = command;
    }

    String command() {
      return command;
    }
  }

  long to() {
    return from + frames.size() - 1;
  }

  /** By the script's digest; fails with NOSCRIPT where the server has not seen its text. */
  AsyncCommand<String, byte[], Long> byDigest() {
    return command(CommandType.EVALSHA, DIGEST);
  }

  /** With the script's text, which the server then knows. */
  AsyncCommand<String, byte[], Long> byText() {
    return command(CommandType.EVAL, SCRIPT.text());
  }

  /** The arguments after the script itself, as a tool would send them. */
  CommandArgs<String, byte[]> arguments(String script) {
    CommandArgs<String, byte[]> args =
        new CommandArgs<>(RedisConnections.CODEC)
            .add(script)
            .add(index.isPresent() ? 4 : 3)
            .addKey(keys.events(slot, persistenceId))
            .addKey(keys.meta(slot, persistenceId))
            .addKey(keys.lost(slot));
    index.ifPresent(change -> args.addKey(keys.outstanding(slot)));
    args.add(from)
        .add(writer)
        .add(index.map(change -> change.command).orElse(""))
        .add(persistenceId);
    frames.forEach(args::add);
    return args;
  }

  private AsyncCommand<String, byte[], Long> command(CommandType type, String script) {
    return new AsyncCommand<>(
        new Command<>(type, new IntegerOutput<>(RedisConnections.CODEC), arguments(script)));
  }

  static String sha1(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java platform has SHA-1", impossible);
    }
  }
}
