package dev.colony.vcm;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a part says whose jar the class path lacks, in one line. */
class OptionalJarsTest {

  private static final String SOURCES = "dev.colony.vcm.source.";

  @Test
  void aRepositoryOrADirectoryIsNotReadWithoutJgit() throws Exception {
    try (URLClassLoader classes = without("jgit")) {
      for (String one : List.of("GitSource$GitProvider", "FileTreeSource$FileTreeProvider")) {
        Class<?> provider = classes.loadClass(SOURCES + one);
        Object made = provider.getConstructor().newInstance();
        Method open =
            provider.getMethod(
                "open",
                classes.loadClass(SOURCES + "SourceSpec"),
                classes.loadClass(SOURCES + "ContextPageSourceProvider$SourceContext"));
        assertThatThrownBy(() -> open.invoke(made, null, null))
            .cause()
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessage(
                "a source %s needs org.eclipse.jgit:org.eclipse.jgit on the class path: add that"
                    + " dependency",
                provider.getMethod("form").invoke(made));
      }
    }
  }

  @Test
  void pagesAreNotSearchedWithoutLucene() throws Exception {
    try (URLClassLoader classes = without("lucene")) {
      Object jar = classes.loadClass("dev.colony.vcm.mapping.PageIndex").getField("JAR").get(null);
      Method require = jar.getClass().getMethod("require", String.class);
      assertThatThrownBy(() -> require.invoke(jar, "a search"))
          .cause()
          .hasMessage(
              "a search needs org.apache.lucene:lucene-analysis-common on the class path: add that"
                  + " dependency");
    }
  }

  /** The class path of this test but for the jars with that in their names. */
  private static URLClassLoader without(String name) throws Exception {
    List<URL> kept = new ArrayList<>();
    for (String one : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(one);
      if (!path.getFileName().toString().contains(name)) {
        kept.add(path.toUri().toURL());
      }
    }
    return new URLClassLoader(kept.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}
