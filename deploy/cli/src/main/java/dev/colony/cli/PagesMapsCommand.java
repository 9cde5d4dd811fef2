package dev.colony.cli;

import dev.colony.cli.exit.ExitCode;
import dev.colony.cli.terminal.Printable;
import dev.colony.vcm.StoredMap;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists what was mapped. */
@Command(
    name = "maps",
    mixinStandardHelpOptions = true,
    description =
        "Lists the maps of sources, those that were mapped last first. Questions are"
            + " asked of one by colony ask MAP QUESTION, or by its source, which maps what has"
            + " changed.")
final class PagesMapsCommand implements Callable<Integer> {

  @Mixin private LimitOption limit;

  @Mixin private JsonOption json;

  @Mixin private PagesCommand.Tenant tenant;

  /**
   * What is listed.
   *
   * @param of how many there are in all
   */
  record Maps(List<StoredMap> maps, int of) {}

  @Override
  public Integer call() {
    int most = limit.checked();
    List<StoredMap> all =
        tenant.with(blackboards -> tenant.pages(blackboards).maps().toCompletableFuture().join());
    List<StoredMap> newest =
        all.stream()
            .sorted(
                Comparator.comparing(StoredMap::mappedAt).reversed().thenComparing(StoredMap::id))
            .limit(most)
            .toList();
    if (json.given()) {
      PagesCommand.print(new Maps(newest, all.size()));
      return ExitCode.OK.status();
    }
    newest.forEach(map ->
        System.out.println(
            Printable.of(
                "%s  %s  %6d files %6d pages %,12d tokens  %s"
                    .formatted(
                        map.id(),
                        map.mappedAt().truncatedTo(ChronoUnit.SECONDS),
                        map.files(),
                        map.pages(),
                        map.sizeTokens(),
                        map.source()))));
    return ExitCode.OK.status();
  }
}
