package dev.colony.cli;

import dev.colony.cli.CommandOptions.JsonOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** A command on what a cluster has stored, which prints text for people or one JSON object. */
abstract class StoreCommand implements Callable<Integer> {

  @Mixin JsonOption json;

  @Mixin BoardOptions board;
}
