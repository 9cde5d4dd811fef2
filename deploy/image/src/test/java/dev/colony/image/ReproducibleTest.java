package dev.colony.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is built twice of the same is the same, but for the AOT cache. */
class ReproducibleTest {

  @TempDir private Path folder;

  @Test
  void theLayersBelowTheCacheHaveTheSameDigests() throws IOException {
    BuiltImage first = BuiltImage.shared();
    Path base = folder.resolve("base.tar");
    BaseTar.write(first.laidOut().path(), "amd64", base);
    // packed by another build at another time: jars of the same classes with other times
    Jars jars = Project.jars(Files.createDirectory(folder.resolve("jars")));
    ImageRoot again =
        ImageRoot.create(folder.resolve("root"), BuiltImage.jdk(), jars, Project.legal());
    Path tar = folder.resolve("again.tar");
    new Tarball("tar://" + base, "colony:again", "1.2.3", "amd64", folder.resolve("cache"))
        .write(again, tar);
    List<String> digests = digests(tar);
    assertThat(digests).hasSize(4).isEqualTo(digests(first.tar()).subList(0, 4));
  }

  @Test
  void aJarOfOursIsTheSameWhenItsEntriesHaveOtherTimes() throws IOException {
    Path early = jar("early.jar", Instant.parse("2001-02-03T04:05:06Z"));
    Path late = jar("late.jar", Instant.parse("2031-02-03T04:05:06Z"));
    assertThat(Files.mismatch(early, late)).isNotEqualTo(-1);
    Path one = folder.resolve("one.jar");
    Path two = folder.resolve("two.jar");
    OwnJar.rewrite(early, one);
    OwnJar.rewrite(late, two);
    assertThat(one).hasSameBinaryContentAs(two);
  }

  private Path jar(String name, Instant time) throws IOException {
    Path jar = folder.resolve(name);
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (String file : List.of("dev/colony/Two", "dev/colony/One", "META-INF/MANIFEST.MF")) {
        JarEntry entry = new JarEntry(file);
        entry.setLastModifiedTime(FileTime.from(time));
        out.putNextEntry(entry);
        out.write(file.getBytes(StandardCharsets.UTF_8));
        out.closeEntry();
      }
    }
    return jar;
  }

  private static List<String> digests(Path tar) throws IOException {
    return OciTarball.read(tar).layers().stream().map(OciTarball.Blob::digest).toList();
  }
}
