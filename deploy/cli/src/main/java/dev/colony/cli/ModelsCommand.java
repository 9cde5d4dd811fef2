package dev.colony.cli;

import com.typesafe.config.Config;
import dev.colony.cli.CommandOptions.JsonOption;
import dev.colony.cli.local.CommandConfig;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import dev.colony.cli.terminal.Table;
import dev.colony.inference.provider.FoundServer;
import dev.colony.inference.provider.FoundServer.Model;
import dev.colony.inference.provider.ModelSearch;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "models",
    description = {
      "Lists the model servers on this machine, their models, and which would be taken.",
      "Status 1 if none is found.",
    })
final class ModelsCommand implements Callable<Integer> {

  @Option(
      names = "--model-url",
      paramLabel = "URL",
      description = "Of this server instead (default: COLONY_MODEL_URL, else this machine's).")
  private String modelUrl;

  @Mixin private JsonOption json;

  /**
   * What is printed.
   *
   * @param taken by a command that names no model; empty for none
   */
  record Listed(List<Integer> lookedAt, List<FoundServer> servers, Optional<Taken> taken) {

    record Taken(URI url, String model, String why) {}

    static Listed of(List<FoundServer> servers, boolean named) {
      return new Listed(
          named ? List.of() : ModelSearch.PORTS,
          servers,
          FoundServer.best(servers)
              .map(one -> new Taken(one.url(), one.chosen().orElseThrow().id(), one.why())));
    }

    String text() {
      Table table = new Table("server", "model", "context", "tools", "state");
      for (FoundServer server : servers) {
        String at = server.kind() + " at " + server.place();
        for (Model model : server.models()) {
          table.row(
              at,
              model.name(),
              context(model),
              model.tools().map(yes -> yes ? "yes" : "no").orElse(""),
              state(server, model));
        }
        if (server.chosen().isEmpty()) {
          table.note(at + ": no model is taken, " + server.why());
        }
      }
      return table.text();
    }

    private static String context(Model model) {
      return model.contextTokens().isPresent()
          ? "%,d".formatted(model.contextTokens().getAsLong())
          : model.mostTokens().isPresent()
              ? "up to %,d".formatted(model.mostTokens().getAsLong())
              : "";
    }

    private String state(FoundServer server, Model model) {
      boolean first =
          taken
              .filter(one -> one.url().equals(server.url()) && one.model().equals(model.id()))
              .isPresent();
      return first
          ? "taken: " + server.why()
          : !model.chats()
              ? "answers no prompts"
              : model.elsewhere() ? "computed elsewhere" : model.loaded() ? "loaded" : "";
    }
  }

  @Override
  public Integer call() {
    Config config = CommandConfig.base(Optional.empty());
    Optional<URI> server =
        ModelCheck.url(modelUrl)
            .or(() ->
                Optional.of(config.getString("colony.node.model-url"))
                    .filter(url -> !url.isBlank())
                    .map(URI::create));
    List<FoundServer> found =
        server.isEmpty()
            ? ModelCheck.search(config)
            : List.of(
                ModelCheck.kind(server.get(), config)
                    .orElseThrow(() ->
                        new CommandFailure(
                            ExitCode.MODEL_UNAVAILABLE,
                            "--model-url: %s answers as no model server: see colony doctor --model-url %s"
                                .formatted(server.get(), server.get()))));
    Listed listed = Listed.of(found, server.isPresent());
    if (found.isEmpty()) {
      json.print(listed, () -> "no model server was found: " + ModelCheck.LOOKED);
      return ExitCode.UNSUCCESSFUL.status();
    }
    return json.print(listed, listed::text);
  }
}
