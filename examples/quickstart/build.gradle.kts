plugins {
    application
}

repositories {
    mavenLocal()
    mavenCentral()
}

dependencies {
    implementation(platform("dev.colony:colony-bom:0.1.0-SNAPSHOT"))
    implementation("dev.colony:agent-node")
}

java {
    toolchain {
        languageVersion.set(JavaLanguageVersion.of(25))
    }
}

tasks.withType<JavaCompile>().configureEach {
    options.encoding = "UTF-8"
    options.release.set(21)
}

application {
    mainClass.set("com.example.harbour.Glossary")
}
