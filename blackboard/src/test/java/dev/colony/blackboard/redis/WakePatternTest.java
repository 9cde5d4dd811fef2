package dev.colony.blackboard.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.protocol.KeyGlob;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The globs of wakes, matched in Lua, hold what {@link KeyGlob} holds. */
class WakePatternTest extends RedisTest {

  private static final List<String> LETTERS =
      List.of("a", "b", "ab", ":", "%", ".", "-", "[", "]", "^", "$", "(", "+", "ü", "日", "🎈");
  private static final int PAIRS = 20_000;
  private static final int AT_ONCE = 1_000;

  @Test
  void randomGlobsMatchTheSameKeys() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    int matching = 0;
    for (int done = 0; done < PAIRS; done += AT_ONCE) {
      List<String> globs = new ArrayList<>();
      List<String> candidates = new ArrayList<>();
      StringBuilder expected = new StringBuilder();
      for (int n = 0; n < AT_ONCE; n++) {
        String key = word(random, 0, 8);
        String glob = random.nextBoolean() ? blurred(random, key) : word(random, 30, 6);
        globs.add(glob);
        candidates.add(key);
        expected.append(new KeyGlob(glob).matches(key) ? '1' : '0');
      }
      String found = matches(globs, candidates);
      for (int n = 0; n < AT_ONCE; n++) {
        assertThat(found.charAt(n))
            .as("glob %s, key %s", globs.get(n), candidates.get(n))
            .isEqualTo(expected.charAt(n));
        matching += expected.charAt(n) - '0';
      }
    }
    assertThat(matching).isBetween(PAIRS / 10, PAIRS * 9 / 10);
  }

  @Test
  void globsThatWouldBacktrackLongAreQuick() throws IOException {
    String glob = "*" + "a".repeat(200) + "*" + "a".repeat(200) + "*" + "a".repeat(200) + "*b";
    assertThat(matches(List.of(glob), List.of("a".repeat(1_024)))).isEqualTo("0");
    assertThat(matches(List.of(glob), List.of("a".repeat(1_023) + "b"))).isEqualTo("1");
  }

  private String matches(List<String> globs, List<String> candidates) throws IOException {
    String script =
        resource("frame.lua")
            + resource("scope.lua")
            + resource("wakes.lua")
            + "local found = {} for i = 1, #ARGV, 2 do"
            + " found[#found + 1] = matches(ARGV[i + 1], pattern(ARGV[i])) and '1' or '0' end"
            + " return table.concat(found)";
    byte[][] arguments = new byte[globs.size() * 2 + 1][];
    arguments[globs.size() * 2] = bytes("0");
    for (int i = 0; i < globs.size(); i++) {
      arguments[2 * i] = bytes(globs.get(i));
      arguments[2 * i + 1] = bytes(candidates.get(i));
    }
    return new String(
        get(
            redis()
                .<byte[]>eval(
                    script, ScriptOutputType.VALUE, new String[] {keys.base()}, arguments)),
        UTF_8);
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = RedisScript.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static String word(Random random, int wildcardPercent, int longest) {
    StringBuilder word = new StringBuilder();
    int length = 1 + random.nextInt(longest);
    for (int i = 0; i < length; i++) {
      word.append(
          random.nextInt(100) < wildcardPercent
              ? random.nextBoolean() ? "*" : "?"
              : LETTERS.get(random.nextInt(LETTERS.size())));
    }
    return word.toString();
  }

  /** The key with some of its characters replaced by wildcards. */
  private static String blurred(Random random, String key) {
    StringBuilder glob = new StringBuilder();
    key.codePoints()
        .forEach(c -> {
          int what = random.nextInt(5);
          if (what == 0) {
            glob.append('?');
          } else if (what == 1) {
            glob.append('*');
          } else {
            glob.appendCodePoint(c);
          }
        });
    return glob.toString();
  }
}
