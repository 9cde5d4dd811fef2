package dev.colony.langchain4j;

import com.typesafe.config.ConfigException;
import dev.colony.inference.provider.ModelProvider;
import java.lang.reflect.InvocationTargetException;

/** Asks models through LangChain4j: {@code provider = langchain4j}. */
public final class LangChain4jProvider implements ModelProvider {

  private static final String FACTORY = "factory";

  @Override
  public String name() {
    return "langchain4j";
  }

  @Override
  public Chat open(Settings settings) {
    String path = settings.path() + ".provider-settings";
    String name =
        settings.config().hasPath(FACTORY) ? settings.config().getString(FACTORY).strip() : "";
    ChatModelFactory factory = factory(path + "." + FACTORY + " = " + name, name);
    try {
      return new LangChain4jChat(factory, factory.make(settings, new BlockingHttpClient.Builder()));
    } catch (ConfigException wrong) {
      throw new IllegalArgumentException(path + ": " + wrong.getMessage(), wrong);
    } catch (RuntimeException | LinkageError wrong) {
      throw new IllegalArgumentException(path + ": " + name + " makes no model: " + wrong, wrong);
    }
  }

  private static ChatModelFactory factory(String setting, String name) {
    String allowed =
        ", allowed is a public class on the class path that implements "
            + ChatModelFactory.class.getName()
            + " and has a public constructor without parameters";
    try {
      Object made = Class.forName(name).getConstructor().newInstance();
      if (made instanceof ChatModelFactory factory) {
        return factory;
      }
      throw new IllegalArgumentException(setting + " implements something else" + allowed);
    } catch (ClassNotFoundException missing) {
      throw new IllegalArgumentException(setting + " is not on the class path" + allowed, missing);
    } catch (LinkageError missing) {
      throw new IllegalArgumentException(
          setting + " cannot be loaded, its libraries are not all on the class path: " + missing,
          missing);
    } catch (InvocationTargetException failed) {
      throw new IllegalArgumentException(
          setting + " cannot be made: " + failed.getCause(), failed.getCause());
    } catch (ReflectiveOperationException hidden) {
      throw new IllegalArgumentException(setting + " cannot be made" + allowed, hidden);
    }
  }
}
