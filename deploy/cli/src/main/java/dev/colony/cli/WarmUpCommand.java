package dev.colony.cli;

import dev.colony.cli.local.StateDirectory;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** Runs once through everything, so that the JVM can cache what a start loads. */
@Command(
    name = "warm-up",
    hidden = true,
    description = "Answers a question about a tiny tree; the launcher records an AOT cache of it.")
final class WarmUpCommand implements Callable<Integer> {

  private static final String SAMPLE =
      """
      /** Decides which of two numbers is the larger one. */
      final class Larger {
        static int of(int a, int b) {
          return a > b ? a : b;
        }
      }
      """;

  @Override
  public Integer call() throws IOException {
    Path folder = Files.createTempDirectory("colony-warm-up");
    PrintStream out = System.out;
    try {
      Path tree = Files.createDirectory(folder.resolve("tree"));
      Files.writeString(tree.resolve("Larger.java"), SAMPLE);
      System.setOut(
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8));
      return ColonyCommand.execute(
          "run",
          tree.toString(),
          "--ask",
          "Which class decides which number is larger?",
          "--state",
          folder.resolve("state").toString());
    } finally {
      System.setOut(out);
      StateDirectory.deleteTree(folder);
    }
  }
}
