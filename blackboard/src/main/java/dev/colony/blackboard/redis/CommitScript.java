package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.colony.blackboard.BlackboardSettings;
import dev.colony.blackboard.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * What a benchmarking tool needs to make the writes that a blackboard makes: one entry with its
 * event, by the same script. The server must know the script first ({@code SCRIPT LOAD}), and keeps
 * what was written.
 *
 * <p>A tool that cannot count begins a lane of its own with each call; {@code redis-benchmark -r
 * 2000000000} puts a number into each {@code __rand_int__}. So each call leaves a lane of some 170
 * bytes for a day, where a program uses few again and again.
 *
 * @param key may hold {@code __rand_int__}, 12 characters for the 12 digits put there
 * @param valueBytes how long the value is, at least 2
 * @param now what time it is for what is written, see {@link
 *     dev.colony.blackboard.Blackboards#clock}
 */
public record CommitScript(
    Scope scope,
    String writer,
    String key,
    int valueBytes,
    BlackboardSettings settings,
    Instant now) {

  private static final String RANDOM = "__rand_int__";

  public CommitScript {
    if (valueBytes < 2) {
      throw new IllegalArgumentException("valueBytes must be at least 2, but is " + valueBytes);
    }
  }

  /** The script's text. */
  public String text() {
    return ScopeCalls.COMMIT.text();
  }

  /** The keys for a tool that cannot count, all in one slot: the scope's and the lane's. */
  public List<String> keys() {
    return keys(RANDOM);
  }

  /**
   * The keys for a program that makes one call at a time in each of its lanes.
   *
   * @param lane names the lane
   */
  public List<String> keys(String lane) {
    ScopeKeys keys = ScopeKeys.of(scope, settings.buckets());
    return List.of(keys.base(), keys.lane("ceiling", 0) + "-" + lane);
  }

  /**
   * The arguments after the keys; the value is a JSON string of x. The first one is the number of
   * the call, here 1: greater than that of the call before it in the lane; the last one is the
   * time.
   */
  public List<String> arguments() {
    byte[] value = ("\"" + "x".repeat(valueBytes - 2) + "\"").getBytes(UTF_8);
    byte[][] parts = Frame.parts(Set.of(), writer, key, new byte[0], value);
    List<byte[]> change = new ArrayList<>();
    change.add("".getBytes(UTF_8));
    change.add("0".getBytes(UTF_8));
    change.add("w".getBytes(UTF_8));
    change.add(key.getBytes(UTF_8));
    change.addAll(List.of(parts));
    return Arrays.stream(ScopeCalls.arguments(settings.events(), 1, writer, change, now))
        .map(argument -> new String(argument, UTF_8))
        .toList();
  }
}
