// A C++ program of the kind that runs in the sandbox: files, directories, a thread.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <thread>

int main() {
    namespace fs = std::filesystem;
    fs::create_directories("d/e");
    std::ofstream("d/e/f") << "x";
    for (auto &entry : fs::recursive_directory_iterator("d"))
        std::cout << entry.path() << "\n";
    std::cout << fs::file_size("d/e/f") << fs::current_path() << "\n";
    fs::rename("d/e/f", "d/g");
    fs::copy_file("d/g", "d/h", fs::copy_options::overwrite_existing);
    fs::remove_all("d");
    auto answer = std::async(std::launch::async, [] {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return 1;
    });
    return answer.get() == 1 ? 0 : 1;
}
