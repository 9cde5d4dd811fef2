package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A simulator of replicas that computes one prompt after the other, with caches that evict what was
 * used longest ago. Takes the options and speaks the protocol of the simulator that the bench is
 * made for.
 */
public final class SmallSimulator {

  /** A line of a trace: the fields that count here, in any order. */
  private static final class Turn {
    final int number;
    final double at;
    final double think;
    final int tokens;
    final long[] blocks;
    final String session;
    final List<Integer> after;
    int waitsFor;
    boolean last;
    double arrived;
    double first;
    double ended;
    int hits;

    Turn(int number, String line) {
      this.number = number;
      at = number(line, "timestamp", 0) / 1000;
      think = number(line, "think_ms", 0) / 1000;
      tokens = (int) number(line, "input_length", 1);
      blocks = Arrays.stream(list(line, "hash_ids")).mapToLong(Long::parseLong).toArray();
      Matcher named = Pattern.compile("\"session_id\": *\"([^\"]*)\"").matcher(line);
      session = named.find() ? named.group(1) : null;
      after = Arrays.stream(list(line, "deps")).map(Integer::valueOf).toList();
      waitsFor = after.size();
    }
  }

  private record Event(double at, int order, int kind, Turn turn, int replica) {}

  private static final int ARRIVES = 0;
  private static final int ENDS = 1;
  private static final int WAKES = 2;
  private static final double SECONDS_A_BLOCK = 0.5;

  private final List<Turn> turns = new ArrayList<>();
  private final List<Set<Long>> caches = new ArrayList<>();
  private final double[] free;
  private final int blocks;
  private final String policy;
  private final boolean declares;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) -> a.at() == b.at() ? a.order() - b.order() : Double.compare(a.at(), b.at()));
  private final Map<Integer, Turn> held = new HashMap<>();
  private Process scheduler;
  private PrintStream tell;
  private BufferedReader hear;
  private int order;
  private int next;
  private int touches;

  private SmallSimulator(Map<String, String> options, String policy, List<String> lines) {
    this.policy = policy;
    declares = options.getOrDefault("--declare", "").contains("next_use");
    blocks = Integer.parseInt(options.get("-c"));
    free = new double[Integer.parseInt(options.get("-n"))];
    for (int i = 0; i < free.length; i++) {
      caches.add(new LinkedHashSet<>());
    }
    double speed = Double.parseDouble(options.get("--speed"));
    for (String line : lines) {
      turns.add(new Turn(turns.size(), line));
    }
    Map<String, Turn> last = new HashMap<>();
    for (Turn turn : turns) {
      last.put(turn.session, turn);
      if (turn.after.isEmpty()) {
        at(turn.at / speed, ARRIVES, turn, 0);
      }
    }
    last.forEach((session, turn) -> turn.last = session != null);
  }

  /**
   * A program that runs it in a JVM of its own, for one that is told of an interpreter and of what
   * that is to run.
   */
  public static Path interpreter(Path folder) throws IOException {
    Path program = folder.resolve("simulate");
    String line =
        "#!/bin/sh\nshift\nexec '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '%s' %s \"$@\"\n"
            .formatted(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                System.getProperty("java.class.path"),
                SmallSimulator.class.getName());
    Files.writeString(program, line);
    if (!program.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + program + " a program");
    }
    return program;
  }

  public static void main(String[] arguments) throws IOException {
    Map<String, String> options = new HashMap<>();
    for (int i = 1; i < arguments.length; i++) {
      if (!arguments[i].equals("--json")) {
        options.put(arguments[i], arguments[++i]);
      }
    }
    if (arguments[0].contains("endless")) {
      new ProcessBuilder("sleep", "600").start();
      while (true) {
        LockSupport.park();
      }
    }
    List<String> lines =
        Trace.read(Path.of(arguments[0])).stream().map(ObjectNode::toString).toList();
    if (options.containsKey("--external")) {
      new SmallSimulator(options, "external", lines).run(options.get("--external"));
    } else if (options.get("-p").equals("bounds")) {
      say("{'infinite_shared': 0.9, 'pooled_lru': 0.3, 'pooled_opt': 0.6}");
    } else {
      for (String policy : options.get("-p").split(",")) {
        if (!List.of("round_robin", "first", "oracle").contains(policy)) {
          System.err.println("some lines before\nKeyError: '" + policy + "'");
          System.exit(1);
        }
        new SmallSimulator(options, policy, lines).run("");
      }
    }
  }

  private static void say(String json, Object... values) {
    System.out.println(String.format(Locale.ROOT, json, values).replace('\'', '"'));
  }

  private static double number(String line, String name, double otherwise) {
    Matcher found = Pattern.compile("\"" + name + "\": *([0-9.]+)").matcher(line);
    return found.find() ? Double.parseDouble(found.group(1)) : otherwise;
  }

  private static String[] list(String line, String name) {
    Matcher found = Pattern.compile("\"" + name + "\": *\\[([^\\]]*)\\]").matcher(line);
    return found.find() && !found.group(1).isBlank()
        ? found.group(1).strip().split(" *, *")
        : new String[0];
  }

  private void at(double time, int kind, Turn turn, int replica) {
    events.add(new Event(time, order++, kind, turn, replica));
  }

  private void run(String external) throws IOException {
    if (!external.isEmpty()) {
      scheduler =
          new ProcessBuilder("sh", "-c", external)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      tell = new PrintStream(scheduler.getOutputStream(), true, StandardCharsets.UTF_8);
      hear =
          new BufferedReader(
              new InputStreamReader(scheduler.getInputStream(), StandardCharsets.UTF_8));
      tell(
          "{'ev':'init','n':%d,'cache':%d,'hbm':%d,'block':512,'prefill_rate':1000,'attn_k':1}",
          free.length, blocks, blocks);
    }
    while (!events.isEmpty()) {
      Event event = events.remove();
      switch (event.kind()) {
        case ARRIVES -> arrives(event.turn(), event.at());
        case ENDS -> ends(event.turn(), event.at(), event.replica());
        default -> poll(event.at());
      }
    }
    if (scheduler != null) {
      tell.close();
    }
    report();
  }

  private void arrives(Turn turn, double now) throws IOException {
    turn.arrived = now;
    if (scheduler == null) {
      int replica = policy.equals("round_robin") ? next++ % free.length : 0;
      starts(turn, policy.equals("oracle") ? turn.number % free.length : replica, now);
      return;
    }
    String answer =
        ask(
            now,
            "{'ev':'arrive','t':%s,'i':%d,'input_length':%d,'output_length':1,'hash_ids':%s,"
                + "'session_id':%s,'agent':0,'last':%s}",
            now,
            turn.number,
            turn.tokens,
            Arrays.toString(turn.blocks),
            turn.session == null ? "null" : "'" + turn.session + "'",
            turn.last);
    if (answer.contains("\"hold\"")) {
      held.put(turn.number, turn);
    } else {
      starts(turn, (int) number(answer, "replica", -1), now);
    }
  }

  private void starts(Turn turn, int replica, double now) {
    double begins = Math.max(now, free[replica]);
    Set<Long> cache = caches.get(policy.equals("oracle") ? 0 : replica);
    while (turn.hits < turn.blocks.length && cache.contains(turn.blocks[turn.hits])) {
      turn.hits++;
    }
    for (int i = turn.blocks.length - 1; i >= 0; i--) {
      cache.remove(turn.blocks[i]);
      cache.add(turn.blocks[i]);
    }
    List<Long> gone = new ArrayList<>();
    while (cache.size() > blocks && !policy.equals("oracle")) {
      gone.add(cache.iterator().next());
      cache.remove(gone.getLast());
    }
    if (scheduler != null && !gone.isEmpty()) {
      tell(
          "{'ev':'evict','t':%s,'blocks':[%s]}",
          now,
          gone.stream()
              .map(block -> "[" + replica + "," + block + "]")
              .collect(Collectors.joining(",")));
    }
    turn.first = begins + SECONDS_A_BLOCK * (turn.blocks.length - turn.hits) + 0.01;
    free[replica] = turn.first;
    at(turn.first, ENDS, turn, replica);
  }

  private void ends(Turn turn, double now, int replica) throws IOException {
    turn.ended = now;
    List<Turn> next = turns.stream().filter(one -> one.after.contains(turn.number)).toList();
    for (Turn one : next) {
      if (--one.waitsFor == 0) {
        at(now + one.think, ARRIVES, one, 0);
      }
    }
    if (scheduler != null) {
      tell(
          "{'ev':'first','t':%s,'i':%d,'replica':%d,'hit':%d}",
          now, turn.number, replica, turn.hits);
      String back = !declares || next.isEmpty() ? "" : ",'next_use_s':" + next.getFirst().think;
      tell("{'ev':'finish','t':%s,'i':%d,'replica':%d%s}", now, turn.number, replica, back);
      if (!held.isEmpty()) {
        poll(now);
      }
    }
  }

  private void poll(double now) throws IOException {
    if (held.isEmpty()) {
      return;
    }
    String answer =
        ask(now, "{'ev':'poll','t':%s,'held':%s}", now, held.keySet().stream().sorted().toList());
    Matcher started = Pattern.compile("\\{\"i\":([0-9]+),\"replica\":([0-9]+)\\}").matcher(answer);
    while (started.find()) {
      starts(
          held.remove(Integer.valueOf(started.group(1))), Integer.parseInt(started.group(2)), now);
    }
  }

  private void tell(String json, Object... values) {
    tell.println(String.format(Locale.ROOT, json, values).replace('\'', '"'));
  }

  private String ask(double now, String json, Object... values) throws IOException {
    tell(json, values);
    String answer = hear.readLine();
    if (answer == null) {
      System.err.println("the external scheduler ended");
      System.exit(1);
    }
    if (answer.contains("\"wake\"")) {
      at(Math.max(now, number(answer, "wake", now)), WAKES, null, 0);
    }
    Matcher dropped = Pattern.compile("\"drop\":\\[(.*?)\\]\\]").matcher(answer);
    if (dropped.find()) {
      for (String one : dropped.group(1).replaceAll("[\\[ ]", "").split("],")) {
        String[] parts = one.split(",");
        Set<Long> cache = caches.get(Integer.parseInt(parts[0]));
        long block = Long.parseLong(parts[1].replace("]", ""));
        if (cache.contains(block)) {
          ((LinkedHashSet<Long>) cache).addFirst(block);
        }
      }
    }
    touches += answer.contains("\"touch\"") ? 1 : 0;
    return answer;
  }

  private void report() {
    double[] waits =
        turns.stream().mapToDouble(turn -> turn.first - turn.arrived).sorted().toArray();
    int hits = turns.stream().mapToInt(turn -> turn.hits).sum();
    int all = turns.stream().mapToInt(turn -> turn.blocks.length).sum();
    double sessions =
        turns.stream()
            .filter(turn -> turn.session != null)
            .collect(Collectors.groupingBy(turn -> turn.session))
            .values()
            .stream()
            .mapToDouble(own ->
                own.getLast().ended
                    - own.stream().mapToDouble(turn -> turn.arrived).min().orElse(0))
            .average()
            .orElse(-1);
    say(
        "{'policy': '%s', 'hit': %s, 'ttft_mean': %s, 'ttft_p99': %s, 'ttft_max': %s%s%s}",
        policy,
        (double) hits / all,
        Arrays.stream(waits).average().orElse(0),
        waits[(int) (0.99 * waits.length)],
        waits[waits.length - 1],
        sessions < 0 ? "" : ", 'session_mean': " + sessions,
        touches == 0 ? "" : ", 'touches': " + touches);
  }
}
