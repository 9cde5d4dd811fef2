package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Processor time that this process and a Redis server have used, in microseconds. It says what work
 * costs also where a machine has other work too, which the clock on the wall does not.
 *
 * @param work of the threads that do what is measured, the garbage collector's among them
 * @param compiler of the JVM's compiler: large until the code that is measured is compiled
 * @param redis of the server's process, both of its user and of its system time
 */
public record CpuTime(double work, double compiler, double redis) {

  public static final CpuTime NONE = new CpuTime(0, 0, 0);

  private static final Path TASKS = Path.of("/proc/self/task");

  /** Scheme, user and servers. */
  private static final Pattern CLUSTER = Pattern.compile("(rediss?)-cluster://(.*@)?(.*)");

  /** As much of a thread's name as the kernel keeps begins so. */
  private static final List<String> COMPILERS = List.of("C1 ", "C2 ");

  /**
   * As the kernel counts the threads, where it publishes that; otherwise all threads are {@code
   * work}.
   */
  public static CpuTime used(String redisUri) {
    double redis = info(redisUri, "cpu", "used_cpu_(user|sys)") * 1e6;
    if (!Files.isDirectory(TASKS)) {
      Duration all = ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
      return new CpuTime(all.toNanos() / 1e3, 0, redis);
    }
    double work = 0;
    double compiler = 0;
    try (Stream<Path> tasks = Files.list(TASKS)) {
      for (Path task : tasks.toList()) {
        try {
          String name = Files.readString(task.resolve("comm"));
          String schedule = Files.readString(task.resolve("schedstat"));
          double micros = Long.parseLong(schedule.substring(0, schedule.indexOf(' '))) / 1e3;
          if (COMPILERS.stream().anyMatch(name::startsWith)) {
            compiler += micros;
          } else {
            work += micros;
          }
        } catch (IOException ended) {
          // A thread that has ended meanwhile did no work worth counting.
        }
      }
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
    return new CpuTime(work, compiler, redis);
  }

  /**
   * The sum of the figures in a section of what Redis says of itself whose names are of a form; of
   * a cluster, of all servers that the URL names.
   */
  static double info(String redisUri, String section, String names) {
    Matcher cluster = CLUSTER.matcher(redisUri);
    if (cluster.matches()) {
      return Stream.of(cluster.group(3).split(","))
          .mapToDouble(server ->
              infoOf(
                  cluster.group(1) + "://" + Objects.toString(cluster.group(2), "") + server,
                  section,
                  names))
          .sum();
    }
    return infoOf(redisUri, section, names);
  }

  private static double infoOf(String redisUri, String section, String names) {
    try (RedisClient client = RedisClient.create(redisUri);
        StatefulRedisConnection<String, String> redis = client.connect()) {
      return redis
          .sync()
          .info(section)
          .lines()
          .filter(line -> line.matches(names + ":.*"))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1).strip()))
          .sum();
    }
  }

  /** Adds the figures, rounded to tenths of a microsecond. */
  public void into(ObjectNode json) {
    json.put("cpuMicrosPerStep", tenths(work))
        .put("compilerMicrosPerStep", tenths(compiler))
        .put("redisMicrosPerStep", tenths(redis));
  }

  private static double tenths(double value) {
    return Math.round(value * 10) / 10.0;
  }

  public CpuTime minus(CpuTime since) {
    return new CpuTime(work - since.work, compiler - since.compiler, redis - since.redis);
  }

  public CpuTime plus(CpuTime other) {
    return new CpuTime(work + other.work, compiler + other.compiler, redis + other.redis);
  }

  /** For each of so many steps. */
  public CpuTime per(long steps) {
    double each = Math.max(1, steps);
    return new CpuTime(work / each, compiler / each, redis / each);
  }

  /**
   * Says when rounds of the same work cost the same: the compiler has next to nothing left to do,
   * and the last rounds differ little. Pure.
   */
  public static final class Quiet {

    /** How many rounds in a row have to agree. */
    private static final int ROUNDS = 3;

    /** By which part of the least of them. */
    private static final double APART = 0.1;

    /** Of what a step costs, what the compiler may take beside it. */
    private static final double COMPILER = 0.1;

    private final Deque<CpuTime> last = new ArrayDeque<>();

    /** Takes a round's cost per step; whether it is quiet. */
    public boolean after(CpuTime perStep) {
      last.add(perStep);
      if (last.size() > ROUNDS) {
        last.remove();
      }
      double least = last.stream().mapToDouble(CpuTime::work).min().orElseThrow();
      double most = last.stream().mapToDouble(CpuTime::work).max().orElseThrow();
      return last.size() == ROUNDS
          && most <= least * (1 + APART)
          && last.stream().allMatch(round -> round.compiler() <= COMPILER * round.work());
    }
  }
}
