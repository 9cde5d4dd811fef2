package dev.colony.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.colony.blackboard.server.StateFolder;
import dev.colony.vcm.source.FileTreeSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where state is kept, and that a source tree does not suffer from it. */
class StateDirectoryTest {

  @TempDir private Path home;

  @Test
  void isUnderTheUsersHomeUnlessNamed() throws IOException {
    assertThat(StateFolder.usual(Map.of(), home)).isEqualTo(home.resolve(".local/state/colony"));
    assertThat(StateFolder.usual(Map.of("XDG_STATE_HOME", "/var/states"), home))
        .isEqualTo(Path.of("/var/states/colony"));
    assertThat(StateFolder.usual(Map.of("XDG_STATE_HOME", "states"), home))
        .isEqualTo(home.resolve(".local/state/colony"));
    Map<String, String> named = Map.of("COLONY_STATE", "/srv/state", "XDG_STATE_HOME", "/var");
    assertThat(StateFolder.usual(named, home)).isEqualTo(Path.of("/srv/state"));
  }

  @Test
  void isTheFormerOneWhereThatHoldsState() throws IOException {
    Files.createDirectories(home.resolve(".colony/corpora"));
    assertThat(StateFolder.usual(Map.of(), home)).isEqualTo(home.resolve(".local/state/colony"));
    StateDirectory.open(home.resolve(".colony"));
    assertThat(StateFolder.usual(Map.of(), home)).isEqualTo(home.resolve(".colony"));
  }

  @Test
  void inAWorkTreeItIsIgnoredAndClosedToOthers() throws Exception {
    git("init", "-q");
    Path empty = Files.createDirectory(home.resolve("empty"));
    for (Path root : List.of(home.resolve("kept"), empty)) {
      written(root);
      assertThat(root.resolve(FileTreeSource.NO_SOURCE)).exists();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
          .isEqualTo("rwx------");
    }
    assertThat(git("status", "--porcelain", "--untracked-files=all")).isEmpty();
  }

  @Test
  void oneOfAnEarlierVersionIsMarkedWhenItIsOpened() throws Exception {
    for (String one : List.of("logs", "nodes", "redis")) {
      Files.createDirectories(home.resolve("old").resolve(one));
    }
    Files.createFile(home.resolve("old/lock"));
    git("init", "-q");
    written(home.resolve("old"));
    assertThat(git("status", "--porcelain", "--untracked-files=all")).isEmpty();
  }

  /** As where a person gives the directory of the sources themselves. */
  @Test
  void whatElseIsInASharedDirectoryIsNeitherIgnoredNorHidden() throws Exception {
    git("init", "-q");
    Files.writeString(home.resolve("Main.java"), "class Main {}");
    written(home);
    written(home);
    assertThat(git("status", "--porcelain", "--untracked-files=all").lines())
        .containsExactly("?? Main.java");
    assertThat(home.resolve(FileTreeSource.NO_SOURCE)).doesNotExist();
    assertThat(home.resolve("redis").resolve(FileTreeSource.NO_SOURCE)).exists();
  }

  private static void written(Path root) throws IOException {
    StateDirectory state = StateDirectory.open(root);
    Files.writeString(state.redis().resolve("redis.password"), "secret");
    Files.writeString(state.log("node-1"), "it runs");
  }

  private String git(String... arguments) throws Exception {
    List<String> line = new ArrayList<>(List.of("git", "-C", home.toString()));
    line.addAll(List.of(arguments));
    Process git = new ProcessBuilder(line).redirectErrorStream(true).start();
    String said = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(git.waitFor()).as(said).isZero();
    return said;
  }
}
