package dev.colony.cli;

import dev.colony.blackboard.Scope;
import dev.colony.cli.CommandOptions.ApiOptions;
import dev.colony.cli.local.StdioBridge;
import dev.colony.cli.terminal.CommandFailure;
import dev.colony.cli.terminal.ExitCode;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "mcp",
    description =
        "Serves a colony to an MCP client over standard input and output: its agents are"
            + " tools, its blackboard and its agents' pages are resources. Ends with its input.")
final class McpCommand implements Callable<Integer> {

  /** What a node answers at. */
  private static final String PATH = "/v1/tenants/%s/colonies/%s/mcp";

  @Parameters(
      paramLabel = "TENANT/COLONY",
      description = "The colony, as in the names of its agents.")
  private String colony;

  @Mixin private ApiOptions api;

  @Override
  public Integer call() throws IOException, InterruptedException {
    String[] parts = colony.split("/", -1);
    if (parts.length != 2) {
      throw CommandFailure.badInput("give TENANT/COLONY, not: " + colony);
    }
    String path;
    try {
      Scope scope = Scope.colony(parts[0], parts[1]);
      path = PATH.formatted(scope.tenant(), scope.colony().orElseThrow());
    } catch (IllegalArgumentException wrong) {
      throw CommandFailure.badInput(wrong.getMessage(), wrong);
    }
    PrintStream messages =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    // Whatever else is printed would break the protocol.
    System.setOut(System.err);
    BoardOptions.refusing(() ->
            new StdioBridge(
                api.nodes().stream()
                    .map(node -> URI.create(node.toString().replaceAll("/+$", "") + path))
                    .toList(),
                api.key(),
                StdioBridge.Bounds.USUAL,
                messages))
        .carry(System.in);
    return ExitCode.OK.status();
  }
}
