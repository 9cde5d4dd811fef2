package dev.colony.cli;

import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.NodeRecord;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.SupervisorRecord;
import dev.colony.cli.local.UpRecord;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Says what is up. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = {
      "Says what is up in the state directory, and how the store fares: what waits in the inbox,"
          + " when Redis last went back to an older state, and how many agents have lost events."
    })
final class StatusCommand implements Callable<Integer> {

  @Mixin private BoardOptions board;

  @Override
  public Integer call() {
    StateDirectory state = board.state();
    Optional<UpRecord> record = UpRecord.find(state);
    if (record.isEmpty() && !board.elsewhere()) {
      System.out.println("nothing is up in " + state.root());
      UpRecord.read(state).ifPresent(last -> dead(state, last, List.of()));
      return ExitCode.UNSUCCESSFUL.status();
    }
    record.ifPresent(up -> print(state, up));
    board.withAgents(view -> view.store().lines(view.now())).forEach(System.out::println);
    return ExitCode.OK.status();
  }

  static void print(StateDirectory state, UpRecord record) {
    List<NodeRecord> living = record.living(state);
    System.out.printf(
        "%d of %d nodes are up · redis %s · model %s · state %s%n",
        living.size(),
        record.nodes().size(),
        withoutPassword(record.redisUri()),
        record.modelUrl().isEmpty()
            ? "embedded replica (lexical, no neural network)"
            : record.modelUrl(),
        state.root());
    for (NodeRecord node : living) {
      System.out.printf(
          "  %s  %s  pid %d  model server %s%s%s%n",
          node.name(),
          node.address(),
          node.pid(),
          node.replica(),
          node.management().isEmpty() ? "" : "  management http://" + node.management(),
          node.api().isEmpty() ? "" : "  API " + node.api());
    }
    dead(state, record, living.stream().map(NodeRecord::name).toList());
  }

  private static void dead(StateDirectory state, UpRecord record, List<String> living) {
    Optional<SupervisorRecord> last = SupervisorRecord.read(state);
    boolean watched = SupervisorRecord.living(state).isPresent();
    for (String name : record.nodes()) {
      if (!living.contains(name)) {
        boolean givenUp = last.filter(said -> said.givenUp().contains(name)).isPresent();
        System.out.printf(
            "  %s  has ended%s, see %s%n",
            name,
            givenUp
                ? " too often: call colony up to start it again"
                : watched ? ": it is started again" : ": call colony up to start it again",
            state.log(name));
      }
    }
    if (last.isPresent() && !watched) {
      System.out.println(
          "  no supervisor runs, so nodes that end are not started again: call colony up");
    }
  }

  /** What is printed ends up in tickets and logs. */
  private static String withoutPassword(String redisUri) {
    return redisUri.replaceFirst("://[^/]*@", "://");
  }
}
