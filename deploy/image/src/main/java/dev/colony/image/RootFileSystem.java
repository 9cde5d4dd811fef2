package dev.colony.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What stands below the Java runtime where no base image is named: the C library of the machine's
 * distribution, a user, and nothing that could be run: no shell, no package manager.
 *
 * <p>It is made of the Debian packages that this machine's apt knows. Where there is no apt, or it
 * reaches no archive, it is made of the machine's own libraries, and the NOTICE file of the image
 * states it.
 */
final class RootFileSystem {

  /** Where files are mounted, or the kernel's; the container's runtime needs them to be there. */
  private static final List<String> FOLDERS =
      List.of("dev", "etc/colony", "opt", "proc", "run", "sys", "tmp");

  private RootFileSystem() {}

  /**
   * Lays it out in the folder.
   *
   * @param runtime the Java runtime that is to run on it
   * @param downloads an empty folder for packages
   * @param notice is told what is done otherwise than usual
   * @throws ImageFailure if the runtime is linked against a library that the packages lack
   */
  static void layOut(Path root, Path runtime, Path downloads, Consumer<String> notice)
      throws IOException {
    Set<Path> libraries = LinkedLibraries.of(runtime);
    Optional<String> without = new DebianPackages(downloads).unpack(root);
    if (without.isPresent()) {
      notice.accept(without.get() + ": the base is made of this machine's own libraries instead");
      MachineLibraries.copy(libraries, root);
    }
    Set<String> missing = LinkedLibraries.missing(libraries, root);
    if (!missing.isEmpty()) {
      throw ImageFailure.badInput(
          "this JDK is linked against %s, which the base lacks: take a JDK that brings them, as"
                  .formatted(String.join(", ", missing))
              + " Eclipse Temurin does, or name a base image that has them (--base)");
    }
    accounts(root);
    for (String folder : FOLDERS) {
      Files.createDirectories(root.resolve(folder));
    }
  }

  /** Names for the numbers, and the order in which the C library looks up hosts. */
  private static void accounts(Path root) throws IOException {
    int id = Contents.USER_ID;
    Path etc = Files.createDirectories(root.resolve("etc"));
    Files.writeString(
        etc.resolve("passwd"),
        """
        root:x:0:0:root:/:/nologin
        colony:x:%d:%d:Colony on Pekko:/tmp:/nologin
        """
            .formatted(id, id));
    Files.writeString(etc.resolve("group"), "root:x:0:\ncolony:x:%d:\n".formatted(id));
    Files.writeString(etc.resolve("nsswitch.conf"), "hosts: files dns\n");
  }
}
