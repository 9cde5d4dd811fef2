package dev.colony.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.colony.agent.AgentBlueprint;
import dev.colony.agent.AgentId;
import dev.colony.agent.Blueprint;
import dev.colony.blackboard.server.ServerSettings;
import dev.colony.blackboard.server.ServerSettings.Fsync;
import dev.colony.cli.RunNames;
import dev.colony.cli.local.LoopbackNodes;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.Progress;
import dev.colony.core.lifecycle.AgentEvent;
import dev.colony.core.lifecycle.StoredTypes.TypeNames;
import dev.colony.journal.AppendCeiling;
import dev.colony.node.Started;
import dev.colony.server.node.Node;
import dev.colony.testkit.BenchReport;
import dev.colony.testkit.StepsBench.StepLatencies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Durable steps per second: the agents, the journal and the sharding of a node, with a scripted
 * policy and a model that answers at once, on a Redis server of the bench's own.
 */
@Command(
    name = "steps",
    description = {
      "Durable steps per second of agents with a scripted policy and a fake model.",
      "A step journals the model's reply and the action's outcome; beside it, before and behind"
          + " each round, the most appends of that size that the same Redis takes. CPU time is that"
          + " of the steps: what the bench itself does around a round is left out.",
    })
final class StepsBench extends Bench {

  private static final Pattern APPENDS =
      Pattern.compile("(?m)^colony_journal_appends_seconds_count\\{.*\"stored\".*} (\\S+)$");

  private static final int LEAST_APPENDS = 20_000;
  private static final int APPENDS_OF_EACH = 500;
  private static final int SPAWNED_AT_ONCE = 500;
  private static final int WARM_UP_PAYLOAD = 64;
  private static final int HISTORY_WARM_UP_STEPS = 100;
  private static final long LOOK_NANOS = 2_000_000;
  private static final String REPLY = TypeNames.of(AgentEvent.ModelAnswered.class);
  private static final String OUTCOME = TypeNames.of(AgentEvent.StepCompleted.class);

  @Option(names = "--agents", defaultValue = "200", description = "Default: ${DEFAULT-VALUE}.")
  private int agents;

  @Option(
      names = "--steps",
      defaultValue = "100",
      description = "Steps of each agent (default: ${DEFAULT-VALUE}).")
  private int steps;

  @Option(
      names = "--payload",
      paramLabel = "BYTES",
      defaultValue = "1024",
      description = "Of each model reply (default: ${DEFAULT-VALUE}).")
  private int payload;

  @Option(
      names = "--fsync",
      defaultValue = "always",
      description = "When Redis syncs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
  private Fsync fsync;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description =
          "How often it is measured, in turns with its ceiling (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--warm-up",
      paramLabel = "ROUNDS",
      defaultValue = "30",
      description =
          "Rounds before, at most: until a step's CPU time has settled (default:"
              + " ${DEFAULT-VALUE}).")
  private int warmUp;

  @Option(
      names = "--nodes",
      paramLabel = "N",
      defaultValue = "1",
      description = "In this process, with one Redis (default: ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--idle",
      paramLabel = "N",
      defaultValue = "0",
      description = "More agents that are in the directory and do nothing (default: none).")
  private int idle;

  @Option(
      names = "--redis-url",
      paramLabel = "URL",
      description =
          "A Redis that is there, in place of one of the bench's own. Its agents stay in it: take"
              + " one without other data. Of a cluster name every primary:"
              + " redis-cluster://A:1,B:2.")
  private String redisUrl;

  @Option(
      names = "--history",
      description = {
        "Measures what a step costs by how many steps of its run are behind it: CPU time per step,",
        "up to --steps. Takes few agents and many steps, for example --agents 20 --steps 10000.",
      })
  private boolean history;

  @Option(
      names = "--resume",
      paramLabel = "RUN",
      description = "Goes on with a benchmark that was killed; the other options must be the same.")
  private String resume;

  private String run;

  @Override
  protected void check() {
    check("--agents", agents, 1, 100_000);
    check("--steps", steps, 1, history ? 50_000 : 1_000);
    check("--rounds", rounds, 1, 100);
    check("--warm-up", warmUp, 0, 1_000);
    check("--payload", payload, 1, 256 * 1024);
    check("--nodes", nodes, 1, 9);
    check("--idle", idle, 0, 1_000_000);
    if (history && resume != null) {
      throw CommandFailure.badInput("--history cannot be resumed: begin again");
    }
  }

  @Override
  protected Path directory(Path benches) {
    run = resume == null ? RunNames.next().value() : resume;
    Path directory = benches.resolve(run).normalize();
    // What is resumed is deleted in the end, so it must be a bench's directory and no other.
    if (resume != null
        && !(benches.equals(directory.getParent()) && Files.isDirectory(directory))) {
      throw CommandFailure.badInput("no benchmark " + resume + " to go on with");
    }
    return directory;
  }

  @Override
  protected String broken() {
    return "steps were lost or doubled";
  }

  @Override
  protected ObjectNode measure(Path directory, Progress progress) {
    if (!history) {
      System.err.println("running; if it is killed: colony bench steps --resume " + run);
    }
    try (Started started = new Started()) {
      Rig rig = rig(started, directory);
      ObjectNode found =
          Report.object()
              .put("runId", run)
              .put("agents", agents)
              .put("steps", steps)
              .put("payloadBytes", payload)
              .put("nodes", nodes)
              .put("idleAgents", idle)
              .put("fsync", redisUrl == null ? fsync.word() : "as the Redis that was named");
      if (resume == null) {
        idle(rig, progress);
        warmUp(rig, found);
      }
      if (history) {
        history(rig, found.putArray("history"));
      } else {
        rounds(rig, found);
      }
      return found;
    }
  }

  private record Rig(
      String redis,
      List<Node> nodes,
      StepLatencies latencies,
      dev.colony.testkit.StepsBench bench) {

    /** Runs a load; work of the bench's own before and behind it counts for nothing. */
    Round run(String id, int agents, int steps, int payload) {
      double[] before = new double[2];
      List<CpuTime> cpu = new ArrayList<>();
      BenchReport ran =
          bench.run(
              load(id, agents, steps, payload),
              () -> {
                if (cpu.isEmpty()) {
                  before[0] = CpuTime.info(redis, "memory", "used_memory_dataset");
                  before[1] = appends();
                }
                cpu.add(CpuTime.used(redis));
              });
      long done = Math.max(1, Math.min(ran.stepsHere(), (long) agents * steps));
      return new Round(
          ran,
          done,
          cpu.getLast().minus(cpu.getFirst()).per(done),
          (CpuTime.info(redis, "memory", "used_memory_dataset") - before[0]) / done,
          (appends() - before[1]) / done);
    }

    /** How many the nodes' journals have made. */
    private double appends() {
      return nodes.stream()
          .map(node -> APPENDS.matcher(node.metrics().text()))
          .filter(Matcher::find)
          .mapToDouble(counted -> Double.parseDouble(counted.group(1)))
          .sum();
    }
  }

  private static dev.colony.testkit.StepsBench.Load load(
      String id, int agents, int steps, int payload) {
    return new dev.colony.testkit.StepsBench.Load(id, agents, steps, payload);
  }

  private Rig rig(Started started, Path directory) {
    Config config = config();
    ServerSettings own =
        ServerSettings.fromConfig(config, directory).withoutPassword().withFsync(fsync);
    String redis = redisUrl == null ? redis(started, own).uri() : redisUrl;
    // A run of many steps may take more of them than is usual, and is to have them all before it;
    // what a small number of snapshots would let go of shall be there to be counted.
    Config unbounded =
        ConfigFactory.parseString(
                "colony.agent.run.usual.iterations = "
                    + (steps + 1_000)
                    + "\ncolony.agent.history.keep = all")
            .withFallback(config);
    StepLatencies latencies = new StepLatencies();
    List<Node> members =
        nodes(
            started,
            nodes == 1
                ? List.of(alone(redis))
                : LoopbackNodes.withoutApi(redis, configFile()).options(nodes),
            one -> node(one, unbounded, latencies));
    return new Rig(
        redis,
        members,
        latencies,
        new dev.colony.testkit.StepsBench(members.getFirst().colony(), latencies));
  }

  private void idle(Rig rig, Progress progress) {
    if (idle == 0) {
      return;
    }
    progress.note("spawning %,d agents that do nothing".formatted(idle));
    AgentBlueprint blueprint = AgentBlueprint.of(Blueprint.of(BenchTypes.Whereabouts.TYPE));
    new ClosedLoop(SPAWNED_AT_ONCE)
        .run(
            0,
            idle,
            (client, number) ->
                rig.nodes()
                    .getFirst()
                    .colony()
                    .spawn(new AgentId("bench", "idle", "agent-" + number), blueprint));
  }

  /** Small replies, since none of it is measured and all of it is kept until the end. */
  private void warmUp(Rig rig, ObjectNode found) {
    CpuTime.Quiet quiet = new CpuTime.Quiet();
    boolean settled = false;
    int round = 0;
    while (round < warmUp && !settled) {
      round++;
      settled =
          quiet.after(
              rig.run(
                      run + "-warm-up-" + round,
                      agents,
                      history ? HISTORY_WARM_UP_STEPS : steps,
                      Math.min(payload, WARM_UP_PAYLOAD))
                  .cpu());
    }
    found.put("warmUpRounds", round).put("quiet", settled);
  }

  /**
   * One measurement.
   *
   * @param steps of the load, as many as were taken by this process
   * @param cpu of a step, from the first request to the last answer
   */
  private record Round(
      BenchReport report, long steps, CpuTime cpu, double bytesPerStep, double appendsPerStep) {

    double stepsPerSecond() {
      return steps / (report.elapsed().toNanos() / 1e9);
    }

    /** The figures, beside the ceilings that were measured before and behind. */
    ObjectNode row(AppendCeiling.Rate before, AppendCeiling.Rate behind) {
      double ceiling = (before.appendsPerSecond() + behind.appendsPerSecond()) / 2;
      ObjectNode row =
          Report.object()
              .put("stepsPerSecond", Math.round(stepsPerSecond()))
              .put("p50Millis", Report.rounded(report.p50().toNanos() / 1e6))
              .put("p99Millis", Report.rounded(report.p99().toNanos() / 1e6));
      cpu.into(row);
      return row.put("appendsPerStep", Report.rounded(appendsPerStep))
          .put("bytesPerStep", Math.round(bytesPerStep))
          .put("heapBytesPerAgent", report.heapBytesPerAgent())
          .put("ceilingBefore", Math.round(before.appendsPerSecond()))
          .put("ceilingBehind", Math.round(behind.appendsPerSecond()))
          .put("ratio", Report.rounded(appendsPerStep * stepsPerSecond() / ceiling));
    }
  }

  private void rounds(Rig rig, ObjectNode found) {
    ArrayNode rows = found.putArray(Rounds.FIELD);
    AppendCeiling.Rate before = null;
    if (resume == null) {
      // Its appends are as large as those of the rounds, so its ceiling stands before the first.
      before = ceiling(rig, rig.run(run + "-rehearsal", agents, steps, payload));
    }
    long journaled = 0;
    long wrong = 0;
    boolean completed = true;
    for (int round = 1; round <= (resume != null ? 1 : rounds); round++) {
      String id = round == 1 ? run : run + "-" + round;
      Round measured = rig.run(id, agents, steps, payload);
      AppendCeiling.Rate behind = ceiling(rig, measured);
      rows.add(measured.row(before == null ? behind : before, behind));
      before = behind;
      BenchReport report = measured.report();
      long[] counted = journaled(rig, load(id, agents, steps, payload));
      long wanted = (long) agents * steps;
      journaled += counted[0];
      wrong +=
          Math.max(
              counted[1],
              Math.max(
                  Math.abs(wanted - report.stepsInResults()),
                  Math.abs(wanted - report.notedInResults())));
      completed &= report.completedRuns() == agents;
    }
    found
        .put(
            "ceilingBy",
            "our client flat out, %d connections, %d under way"
                .formatted(before.connections(), before.depth()))
        .put("stepsInJournal", journaled)
        .put("stepsLostOrDoubled", wrong)
        .put(WHOLE, completed && wrong == 0);
  }

  /** The most appends of the size that a round had. */
  private AppendCeiling.Rate ceiling(Rig rig, Round round) {
    // A run that goes on is measured without a warm-up, so its ceiling need be no more exact.
    int least = resume != null ? 1 : Math.min(LEAST_APPENDS, agents * APPENDS_OF_EACH);
    int appends = Math.max(least, agents * steps);
    double bytes = round.bytesPerStep() / Math.max(1, round.appendsPerStep());
    return new AppendCeiling(rig.redis(), agents, (int) Math.max(1, bytes), appends).best();
  }

  /**
   * The completed steps as they stand in the journal, and how far each agent is from the steps that
   * it was to do, its model replies and its outcomes each.
   */
  private static long[] journaled(Rig rig, dev.colony.testkit.StepsBench.Load load) {
    long done = 0;
    long wrong = 0;
    for (AgentId agent : dev.colony.testkit.StepsBench.agents(load)) {
      Map<String, Long> events =
          rig.nodes()
              .getFirst()
              .journal()
              .byManifest(agent.persistenceId())
              .toCompletableFuture()
              .join();
      // The last iteration of a run decides that it is done, without reply and action.
      long outcomes = Math.max(0, events.getOrDefault(OUTCOME, 0L) - 1);
      done += outcomes;
      wrong +=
          Math.abs(load.steps() - outcomes)
              + Math.abs(load.steps() - events.getOrDefault(REPLY, 0L));
    }
    return new long[] {done, wrong};
  }

  /** Looks at the steps that are done so far, again and again, until the next mark is passed. */
  private void history(Rig rig, ArrayNode stretches) {
    // Those of the warm-up would be taken for steps of this run until it begins.
    rig.latencies().reset();
    CompletableFuture<Round> running =
        CompletableFuture.supplyAsync(() -> rig.run(run, agents, steps, payload));
    long from = 0;
    CpuTime before = null;
    for (int mark : marks(steps)) {
      long wanted = (long) mark * agents;
      while (rig.latencies().steps() < wanted && !running.isDone()) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      long done = rig.latencies().steps();
      CpuTime now = CpuTime.used(rig.redis());
      if (before != null) {
        now.minus(before)
            .per(done - from)
            .into(stretches.addObject().put("from", from / agents).put("to", done / agents));
      }
      from = done;
      before = now;
    }
    running.join();
  }

  /** Where stretches begin and end: at the halves of the powers of ten, and at the last step. */
  static List<Integer> marks(int steps) {
    List<Integer> marks = new ArrayList<>();
    for (int mark = 10; mark < steps; mark *= 10) {
      marks.add(mark);
      if (mark * 5 < steps) {
        marks.add(mark * 5);
      }
    }
    marks.add(steps);
    return marks;
  }
}
