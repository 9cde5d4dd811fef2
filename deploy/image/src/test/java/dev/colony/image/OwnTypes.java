package dev.colony.image;

import com.fasterxml.jackson.databind.node.LongNode;
import dev.colony.agent.author.ActionPolicy.PolicyContext;
import dev.colony.agent.author.ActionPolicyExecutionState;
import dev.colony.agent.author.BaseActionPolicy;
import dev.colony.agent.author.Decision;
import dev.colony.agent.author.Registered;
import dev.colony.agent.author.TypeProvider;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** An agent of one's own, in a jar that the image does not hold. */
public final class OwnTypes implements TypeProvider {

  static final String WHEREABOUTS = "image.whereabouts";

  /**
   * Puts the jar where an image that is built on ours, or a volume, has it.
   *
   * @param root of the unpacked image
   */
  static void addTo(Path root) throws IOException {
    Path agents = Files.createDirectories(root.resolve("opt/colony/agents"));
    try (JarOutputStream jar =
        new JarOutputStream(Files.newOutputStream(agents.resolve("own.jar")))) {
      for (Class<?> type : List.of(OwnTypes.class, Whereabouts.class)) {
        String name = type.getName().replace('.', '/') + ".class";
        jar.putNextEntry(new JarEntry(name));
        try (InputStream compiled = type.getClassLoader().getResourceAsStream(name)) {
          compiled.transferTo(jar);
        }
      }
      jar.putNextEntry(new JarEntry("META-INF/services/" + TypeProvider.class.getName()));
      jar.write(OwnTypes.class.getName().getBytes(StandardCharsets.UTF_8));
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
