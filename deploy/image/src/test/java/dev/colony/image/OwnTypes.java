package dev.colony.image;

import com.fasterxml.jackson.databind.node.LongNode;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.PolicyContext;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** An agent of one's own, in a jar that the image does not hold. */
public final class OwnTypes implements TypeProvider {

  static final String WHEREABOUTS = "image.whereabouts";

  /**
   * Puts the jar where an image that is built on ours, or a volume, has it.
   *
   * @param root of the unpacked image
   */
  static void addTo(Path root) throws IOException {
    Path agents = Files.createDirectories(root.resolve(Contents.AGENTS.substring(1)));
    try (WorkFolder folder = WorkFolder.create()) {
      for (Class<?> type : List.of(OwnTypes.class, Whereabouts.class)) {
        String name = type.getName().replace('.', '/') + ".class";
        Path file = folder.path().resolve(name);
        Files.createDirectories(file.getParent());
        try (InputStream compiled = type.getClassLoader().getResourceAsStream(name)) {
          Files.copy(compiled, file);
        }
      }
      Path services = Files.createDirectories(folder.path().resolve("META-INF/services"));
      Files.writeString(services.resolve(TypeProvider.class.getName()), OwnTypes.class.getName());
      Project.pack(folder.path(), agents.resolve("own.jar"));
    }
  }

  @Override
  public void register(Types types) {
    types.add(Whereabouts.class);
  }

  /** Answers each run with the process that the agent lives in. */
  @Registered(WHEREABOUTS)
  public static final class Whereabouts extends BaseActionPolicy {

    public Whereabouts(PolicyContext context) {
      super(context);
    }

    @Override
    protected Decision planStep(ActionPolicyExecutionState state) {
      return Decision.Complete.with(LongNode.valueOf(ProcessHandle.current().pid()));
    }
  }
}
