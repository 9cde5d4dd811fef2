package dev.colony.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.local.NodeRecord;
import dev.colony.cli.local.StateDirectory;
import dev.colony.cli.local.SupervisorRecord;
import dev.colony.cli.local.UpRecord;
import dev.colony.cli.terminal.Printable;
import dev.colony.client.wire.WireJson;
import dev.colony.server.agents.StoreStatus.StoreView;
import java.nio.file.Files;
import java.nio.file.Path;
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

  @Mixin private JsonOption json;

  @Mixin private BoardOptions board;

  /**
   * What {@code --json} prints.
   *
   * @param redis without its password
   * @param model which model answers, or its server's URL; empty where nothing is up
   * @param store absent where nothing is up
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record Shown(
      String state,
      boolean up,
      Optional<String> redis,
      Optional<String> model,
      List<ShownNode> nodes,
      Optional<String> supervisorLog,
      Optional<StoreView> store) {}

  /**
   * A node of the cluster.
   *
   * @param up whether its process runs
   * @param record what it says of itself; absent where it does not run
   * @param log where its log is
   */
  @JsonInclude(JsonInclude.Include.NON_ABSENT)
  record ShownNode(String name, boolean up, @JsonUnwrapped NodeRecord record, String log) {}

  @Override
  public Integer call() {
    StateDirectory state = board.state();
    Optional<UpRecord> record = UpRecord.find(state);
    boolean any = record.isPresent() || board.elsewhere();
    if (json.given()) {
      Optional<StoreView> store =
          any ? Optional.of(board.withAgents(view -> view.store().view())) : Optional.empty();
      System.out.println(
          Printable.line(
              WireJson.write(shown(state, record.or(() -> UpRecord.read(state)), store))));
    } else if (any) {
      record.ifPresent(up -> print(state, up));
      board.withAgents(view -> view.store().lines(view.now())).forEach(System.out::println);
    } else {
      System.out.println("nothing is up in " + state.root());
      UpRecord.read(state).ifPresent(last -> dead(state, last, List.of()));
    }
    return (any ? ExitCode.OK : ExitCode.UNSUCCESSFUL).status();
  }

  private static Shown shown(
      StateDirectory state, Optional<UpRecord> record, Optional<StoreView> store) {
    List<ShownNode> nodes =
        record.stream()
            .flatMap(up -> up.nodes().stream())
            .map(name -> {
              Optional<NodeRecord> living =
                  NodeRecord.read(state.nodeRecord(name)).filter(one -> one.process().isPresent());
              return new ShownNode(
                  name, living.isPresent(), living.orElse(null), state.log(name).toString());
            })
            .toList();
    return new Shown(
        state.root().toString(),
        nodes.stream().anyMatch(ShownNode::up),
        record.map(up -> withoutPassword(up.redisUri())),
        record.map(up -> up.model().orElse(up.modelUrl())),
        nodes,
        Optional.of(state.log("colony-supervisor")).filter(Files::exists).map(Path::toString),
        store);
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
          "  %s  %s  pid %d  model server %s%s%s  log %s%n",
          node.name(),
          node.address(),
          node.pid(),
          node.replica(),
          node.management().isEmpty() ? "" : "  management http://" + node.management(),
          node.api().isEmpty() ? "" : "  API " + node.api(),
          state.log(node.name()));
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
