dependencies {
    api(project(":agent-runtime:testkit"))
    api(project(":deploy:cli"))
    api(libs.hdrhistogram)
    testImplementation(project(":agent-runtime:spring-boot-starter"))
    testImplementation(project(":inference-gateway:langchain4j"))
    testImplementation(project(":vcm-cache:meaning"))
    testImplementation(project(path = ":deploy:cli", configuration = "testJar"))
    testImplementation(project(path = ":deploy:server", configuration = "testJar"))
    testImplementation(project(path = ":inference-gateway:gateway", configuration = "testJar"))
    testImplementation(libs.llama)
    testImplementation(libs.archunit.junit5)
    testImplementation(libs.google.java.format)
}

// google-java-format reads the compiler's own tree
tasks.test {
    jvmArgs(listOf("api", "code", "file", "parser", "tree", "util").map {
        "--add-exports=jdk.compiler/com.sun.tools.javac.$it=ALL-UNNAMED"
    })
}
