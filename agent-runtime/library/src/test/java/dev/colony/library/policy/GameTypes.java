package dev.colony.library.policy;

import dev.colony.agent.Blueprint;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import dev.colony.agent.stream.ConsciousnessStream.ConsciousnessStreamFormatter;
import dev.colony.agent.stream.StreamEntry;
import java.util.ArrayList;
import java.util.List;

/** What a game-playing agent ships with its capabilities. */
public final class GameTypes implements TypeProvider {

  @Override
  public void register(Types types) {
    types.add(GameMoveFormatter.class);
  }

  // guide: game-formatter
  @Registered("game.moves")
  public static final class GameMoveFormatter implements ConsciousnessStreamFormatter {

    public record Args(String sectionTitle) {}

    private final Args args;

    GameMoveFormatter(Args args) {
      this.args = args;
    }

    public static Blueprint bind() {
      return Blueprint.bind(GameMoveFormatter.class, new Args("## Game Moves"));
    }

    @Override
    public String format(List<StreamEntry> entries) {
      List<String> lines = new ArrayList<>();
      for (StreamEntry entry : entries) {
        var move = entry.content().path("game_move");
        lines.add(
            "%d. %s (eval: %s)"
                .formatted(
                    lines.size() + 1,
                    move.path("move").asText("?"),
                    move.path("evaluation").asText("?")));
      }
      return lines.isEmpty() ? "" : args.sectionTitle() + "\n\n" + String.join("\n", lines);
    }
  }
  // guide end
}
